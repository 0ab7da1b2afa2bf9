// The converter: Python in a worker of its own, so that the page never waits for it.
import { loadPyodide } from "./pyodide/pyodide.mjs";

const tell = (kind, told) => postMessage({ kind, ...told });

// Every byte that is loaded is counted on its way.
const counted = (total) => {
  const load = globalThis.fetch;
  let loaded = 0;
  const counter = () => new TransformStream({
    transform(chunk, out) {
      loaded += chunk.byteLength;
      tell("loading", { part: Math.min(1, loaded / total) });
      out.enqueue(chunk);
    },
  });
  globalThis.fetch = async (...asked) => {
    const answer = await load(...asked);
    if (!answer.ok || !answer.body) return answer;
    const { status, headers } = answer;
    return new Response(answer.body.pipeThrough(counter()), { status, headers });
  };
};

const start = async () => {
  const manifest = await (await fetch("manifest.json")).json();
  counted(Object.entries(manifest.files).reduce((sum, [name, size]) => sum + (/\.(wasm|whl|zip)$/.test(name) ? size : 0), 0));
  const archives = manifest.archives.map(async (name) => new Uint8Array(await (await fetch(name)).arrayBuffer()));
  const python = await loadPyodide({ indexURL: new URL("pyodide/", import.meta.url).href });
  const folder = "/lib/ocml";
  for (const archive of archives) python.unpackArchive(await archive, "zip", { extractDir: folder });
  tell("starting");
  python.runPython(`import sys; sys.path.insert(0, "${folder}")`);
  const module = python.pyimport("ocml_bridge.playground.answer");
  tell("ready", { catalogue: JSON.parse(module.catalogue()) });
  const answer = (data, asked) => JSON.parse(module.answer(python.toPy(data), JSON.stringify(asked)));
  // What the first answer takes longer for is done while somebody looks for a text to paste.
  setTimeout(() => asks || answer(new TextEncoder().encode('[{"role":"user","content":"**Hi**"}]'), { target: "harmony" }), 60);
  return answer;
};

let asks = 0;
const started = start();
started.catch((error) => tell("failed", { message: String(error.message ?? error) }));

onmessage = async ({ data: { id, data, asked } }) => {
  asks += 1;
  const answer = await started;
  const begun = performance.now();
  try {
    tell("answer", { id, answer: answer(data, asked), took: performance.now() - begun });
  } catch (error) {
    tell("failed", { id, message: String(error.message ?? error) });
  }
};
