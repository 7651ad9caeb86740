// theme.js: the editor in the page's own colours. Every colour is a custom property of tokens.css, so that
// light and dark need no second theme and change without a reload.
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

const surface = EditorView.theme({
  "&": { color: "var(--ink)", backgroundColor: "var(--raised)", fontSize: "var(--code-size)" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.6" },
  ".cm-content": { padding: "var(--s-12) 0", caretColor: "var(--forward)" },
  ".cm-line": { padding: "0 var(--s-16) 0 var(--s-8)" },
  ".cm-cursor, .cm-dropCursor": { borderLeftColor: "var(--forward)", borderLeftWidth: "2px" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground, .cm-content ::selection":
    { backgroundColor: "var(--selection)" },
  ".cm-gutters": { backgroundColor: "var(--raised)", color: "var(--quiet)", border: "none" },
  ".cm-lineNumbers .cm-gutterElement": { padding: "0 var(--s-8) 0 var(--s-12)", minWidth: "36px" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "transparent" },
  "&.cm-focused .cm-activeLine, &.cm-focused .cm-activeLineGutter": { backgroundColor: "var(--shade)" },
  "&.cm-focused .cm-matchingBracket": { backgroundColor: "var(--selection)", outline: "1px solid var(--forward)" },
  "&.cm-focused .cm-nonmatchingBracket": { backgroundColor: "transparent", outline: "1px solid var(--bad)" },
  ".cm-searchMatch": { backgroundColor: "var(--shade)", outline: "1px solid var(--edge)" },
  ".cm-searchMatch.cm-searchMatch-selected": { backgroundColor: "var(--selection)" },
  ".cm-selectionMatch": { backgroundColor: "var(--shade)" },
  ".cm-error-line": { backgroundColor: "var(--bad-shade)", boxShadow: "inset 3px 0 0 var(--bad)" },
  ".cm-panels": { backgroundColor: "var(--paper)", color: "var(--ink)", fontFamily: "var(--sans)" },
  ".cm-panels.cm-panels-bottom": { borderTop: "1px solid var(--rule)" },
  ".cm-panel.cm-search": { fontSize: "var(--t-small)", padding: "var(--s-8) var(--s-12)" },
  ".cm-panel.cm-search label": { fontSize: "var(--t-small)", display: "inline-flex", alignItems: "center", gap: "var(--s-4)" },
  ".cm-panel.cm-search .cm-textfield": { width: "14rem", maxWidth: "100%", minHeight: "2.125rem", margin: "var(--s-4) var(--s-8) var(--s-4) 0", padding: "var(--s-4) var(--s-8)" },
  ".cm-panel.cm-search .cm-button": { minHeight: "2.125rem" },
  ".cm-panel.cm-search [name=close]": { width: "2rem", height: "2rem", fontSize: "1.25rem", color: "var(--quiet)", cursor: "pointer" },
  ".cm-textfield": { backgroundColor: "var(--raised)", border: "1px solid var(--edge)", borderRadius: "var(--corner)", fontSize: "var(--t-small)" },
  ".cm-button": { backgroundImage: "none", backgroundColor: "var(--raised)", border: "1px solid var(--edge)", borderRadius: "var(--corner)", fontSize: "var(--t-small)" },
  ".cm-tooltip": { backgroundColor: "var(--raised)", border: "1px solid var(--rule)", borderRadius: "var(--corner)", boxShadow: "var(--shadow)" },
  ".cm-tooltip-autocomplete > ul": { fontFamily: "var(--mono)" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--forward)", color: "var(--on-forward)" },
});

const words = HighlightStyle.define([
  { tag: [tags.keyword, tags.controlKeyword, tags.definitionKeyword, tags.moduleKeyword, tags.operatorKeyword],
    color: "var(--code-keyword)", fontWeight: "600" },
  { tag: [tags.comment, tags.lineComment], color: "var(--quiet)", fontStyle: "italic" },
  { tag: [tags.string, tags.special(tags.string), tags.number, tags.bool, tags.null], color: "var(--code-literal)" },
  { tag: [tags.function(tags.definition(tags.variableName)), tags.definition(tags.className)], color: "var(--code-name)" },
  { tag: tags.invalid, color: "var(--bad)" },
]);

export const theme = [surface, syntaxHighlighting(words)];
