// editor.js: turns <textarea data-editor> into a Python editor and keeps the textarea as the truth: it always
// holds what the editor shows, so that forms, drafts and pages without this script see the same text.
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap, completionStatus } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentLess, indentMore } from "@codemirror/commands";
import { localCompletionSource, pythonLanguage } from "@codemirror/lang-python";
import { bracketMatching, indentOnInput, indentUnit, LanguageSupport } from "@codemirror/language";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { EditorState, StateEffect, StateField } from "@codemirror/state";
import {
  Decoration, drawSelection, EditorView, highlightActiveLine, highlightActiveLineGutter, keymap, lineNumbers,
} from "@codemirror/view";
import { theme } from "./theme.js";

const setErrorLine = StateEffect.define();

// The marked line goes as soon as the text changes: it may no longer be the line that raised.
const errorLine = StateField.define({
  create: () => Decoration.none,
  update(marks, transaction) {
    for (const effect of transaction.effects) {
      if (effect.is(setErrorLine)) return markLine(transaction.state.doc, effect.value);
    }
    return transaction.docChanged ? Decoration.none : marks;
  },
  provide: (field) => EditorView.decorations.from(field),
});

function markLine(doc, number) {
  if (!Number.isInteger(number) || number < 1 || number > doc.lines) return Decoration.none;
  return Decoration.set([Decoration.line({ class: "cm-error-line" }).range(doc.line(number).from)]);
}

// Tab goes on to the next control until something has been typed: who only passes through is not caught.
// From then on it indents, and Escape gives it back.
function tabKeys() {
  let indents = false;
  const typed = EditorView.updateListener.of((update) => {
    if (update.transactions.some((transaction) => transaction.isUserEvent("input"))) indents = true;
    if (update.focusChanged && !update.view.hasFocus) indents = false;
  });
  const keys = keymap.of([
    { key: "Tab", run: (view) => indents && indentMore(view), shift: (view) => indents && indentLess(view) },
    { key: "Escape", run: (view) => {
      if (completionStatus(view.state) === "active") return false;      // the first Escape closes the list
      indents = false;
      return false;
    } },
  ]);
  return [typed, keys];
}

// Typing over a selection, Chromium keeps the selection's look by writing an inline style into the page, which
// the Content-Security-Policy refuses and logs. So the text is put in by us before it tries.
const typeOver = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { main: { from, to, empty }, ranges } = view.state.selection;
    if (event.inputType !== "insertText" || !event.data || empty || ranges.length > 1 || view.composing) return false;
    const typed = () => view.state.update(view.state.replaceSelection(event.data), { userEvent: "input.type", scrollIntoView: true });
    const handlers = view.state.facet(EditorView.inputHandler);         // closing brackets, for one
    if (!handlers.some((handle) => handle(view, from, to, event.data, typed))) view.dispatch(typed());
    return true;
  },
});

/**
 * Put an editor in the place of one textarea.
 * area: the textarea; its label names the editor. nonce: the page's CSP nonce, for the styles that the editor adds.
 * Returns: the EditorView. The textarea fires "input" on every change, and understands three events:
 * "editor:mark" (detail.line, 1-based, or null), "editor:goto" (detail.line) and "editor:set" (detail.text).
 */
export function mount(area, { nonce = "" } = {}) {
  const mirror = EditorView.updateListener.of((update) => {
    if (!update.docChanged) return;
    area.value = update.state.doc.toString();
    area.dispatchEvent(new Event("input", { bubbles: true }));
  });
  const view = new EditorView({
    state: EditorState.create({
      doc: area.value,
      extensions: [
        nonce ? EditorView.cspNonce.of(nonce) : [],
        lineNumbers(), highlightActiveLine(), highlightActiveLineGutter(), drawSelection(), history(),
        indentUnit.of("    "), EditorState.tabSize.of(4), indentOnInput(), bracketMatching(), closeBrackets(),
        new LanguageSupport(pythonLanguage, pythonLanguage.data.of({ autocomplete: localCompletionSource })),
        autocompletion({ icons: false }), search(), highlightSelectionMatches(), errorLine,
        tabKeys(), typeOver,
        keymap.of([...completionKeymap, ...closeBracketsKeymap, ...searchKeymap, ...historyKeymap, ...defaultKeymap]),
        EditorView.contentAttributes.of({
          "aria-label": area.labels?.[0]?.textContent.trim() || "Code",
          "aria-describedby": area.getAttribute("aria-describedby") ?? "",
          spellcheck: "false", autocapitalize: "off",
        }),
        mirror, theme,
      ],
    }),
  });
  area.after(view.dom);
  area.hidden = true;
  area.addEventListener("editor:mark", (event) => view.dispatch({ effects: setErrorLine.of(event.detail.line) }));
  area.addEventListener("editor:goto", (event) => {
    const line = Math.min(Math.max(event.detail.line, 1), view.state.doc.lines);
    view.dispatch({ selection: { anchor: view.state.doc.line(line).from }, scrollIntoView: true });
    view.focus();
  });
  area.addEventListener("editor:set", (event) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: event.detail.text } }));
  return view;
}
