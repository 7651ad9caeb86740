// build.mjs: the editor bundle and the vendored htmx, from the locked packages to quizapp/static/.
// `npm run build` writes; `npm run check` builds in memory and fails where a committed file differs.
import { build } from "esbuild";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const target = join(here, "..", "quizapp", "static");
const modules = join(here, "node_modules");
const packageOf = async (folder) => JSON.parse(await readFile(join(folder, "package.json"), "utf8"));

async function bundle() {
  const result = await build({
    absWorkingDir: here,
    entryPoints: ["src/editor.js"],
    bundle: true, format: "esm", target: "es2022", minify: true, write: false, metafile: true,
    charset: "utf8", legalComments: "none",
    banner: { js: "/* Built by `npm --prefix frontend run build`; licences in LICENSES.txt. */" },
  });
  return { code: result.outputFiles[0].text, inputs: Object.keys(result.metafile.inputs) };
}

// The licence texts of exactly the packages that are in the bundle.
async function licences(inputs) {
  const names = new Set();
  for (const input of inputs) {
    const match = input.match(/node_modules\/((?:@[^/]+\/)?[^/]+)\//);
    if (match) names.add(match[1]);
  }
  const parts = [];
  for (const name of [...names].sort()) {
    const folder = join(modules, name);
    const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry));
    if (!file) throw new Error(`${name} has no licence file; it may not go into the bundle`);
    parts.push(`${name} ${(await packageOf(folder)).version}\n\n${(await readFile(join(folder, file), "utf8")).trim()}\n`);
  }
  return parts.join(`\n${"-".repeat(72)}\n\n`);
}

async function files() {
  const { code, inputs } = await bundle();
  const htmx = join(modules, "htmx.org");
  const { version } = await packageOf(htmx);
  return new Map([
    ["build/editor.js", code],
    ["build/LICENSES.txt", await licences(inputs)],
    [`vendor/htmx-${version}.min.js`, await readFile(join(htmx, "dist", "htmx.min.js"), "utf8")],
    [`vendor/htmx-${version}.LICENSE.txt`, await readFile(join(htmx, "LICENSE"), "utf8")],
  ]);
}

const check = process.argv.includes("--check");
const stale = [];
for (const [name, text] of await files()) {
  const path = join(target, name);
  if (check) {
    if ((await readFile(path, "utf8").catch(() => "")) !== text) stale.push(name);
  } else {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
    console.log(`quizapp/static/${name}  ${(Buffer.byteLength(text) / 1024).toFixed(0)} KiB`);
  }
}
if (stale.length > 0) {
  console.error(`Not what the sources build: ${stale.map((name) => `quizapp/static/${name}`).join(", ")}.`);
  console.error("Run `npm --prefix frontend run build` and commit the files.");
  process.exitCode = 1;
}
