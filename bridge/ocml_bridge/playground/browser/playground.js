// The page: what is typed goes to the worker, and what it answers is shown. Nothing else is asked of anybody.
const at = (id) => document.getElementById(id);
const text = at("text"), source = at("source"), target = at("target"), status = at("status");
const worker = new Worker("worker.js", { type: "module" });

// --- asking ---

let dropped = null; // the bytes of a file, until its text is changed
let shown = null;   // the last answer
let under = null;   // what the worker is at
let again = false;
let count = 0;

const wish = () => {
  const [, profile] = target.value.split("profile:");
  return { source: source.value || null, target: profile ? "" : target.value, profile: profile ?? "", which: Math.max(0, at("which").value - 1) };
};

const ask = () => {
  if (!text.value) return clear();
  if (under !== null) {
    again = true;
    return;
  }
  under = ++count;
  at("output").classList.add("stale");
  worker.postMessage({ id: under, data: dropped ?? new TextEncoder().encode(text.value), asked: wish() });
};

let waiting = 0;
const soon = () => {
  clearTimeout(waiting);
  waiting = setTimeout(ask, 180);
};

// --- answers ---

const say = (where, ...parts) => at(where).replaceChildren(...parts);
const made = (name, content, kind = "") => Object.assign(document.createElement(name), { textContent: content, className: kind });

const clear = () => {
  shown = null;
  for (const id of ["output", "verdict", "conversation", "recognised", "took"]) say(id);
  at("output").className = "empty";
  at("several").hidden = true;
  enable();
};

const enable = () => {
  for (const id of ["swap", "save"]) at(id).disabled = !shown || "error" in shown;
  at("share").disabled = !text.value;
};

const BACK = {
  "alone bytes": "Converted back to the format of the input, the output gives the same bytes.",
  "alone values": "Converted back to the format of the input, the output gives the same JSON.",
  "sidecar bytes": "Converted back with its sidecar, the output gives the same bytes. Without it, the losses above stay lost.",
  "sidecar values": "Converted back with its sidecar, the output gives the same JSON. Without it, the losses above stay lost.",
  no: "Converted back to the format of the input, the output does not give the input.",
};

// Some vocabularies need a library or a file that no browser has; the words of the error are for the command.
const NO_VOCABULARY = "This page has no vocabulary for these token ids. Choose the format's text instead, or convert with the command.";

const failure = ({ code, message, line, column, path }) => {
  const place = line ? `line ${line}, column ${column}` : path ?? "";
  const box = made("section", "", "verdict bad");
  const plain = message.replace(/[`]/g, "");
  box.append(...code === "OCB-VOCABULARY" ? [made("h2", NO_VOCABULARY), made("p", `For the command: ${plain}`)] : [made("h2", plain)]);
  box.append(made("p", [code, place].filter(Boolean).join(" · "), "place"));
  return box;
};

const show = (answer, took) => {
  shown = answer;
  at("output").className = "";
  say("recognised", ...(answer.source ? [source.value ? "read as " : "recognised as ", made("b", answer.title)] : []));
  if (answer.error) {
    say("verdict", failure(answer.error));
    for (const id of ["output", "conversation", "took"]) say(id);
    at("output").className = "empty";
  } else {
    at("several").hidden = answer.conversations === 1;
    at("which").max = answer.conversations;
    say("conversations", answer.conversations.toLocaleString("en"));
    at("output").innerHTML = answer.panels.output;
    at("verdict").innerHTML = answer.panels.verdict;
    at("conversation").innerHTML = answer.panels.conversation;
    if (BACK[answer.back]) at("verdict").firstElementChild.append(made("p", BACK[answer.back], "trip"));
    const { read, written } = answer.report.characters;
    const arrived = wish().profile ? "a prompt that the model continues" : `${written.toLocaleString("en")} of ${read.toLocaleString("en")} characters of text are in the output`;
    say("took", `${arrived} · ${took.toFixed(0)} ms`);
  }
  enable();
  performance.mark("answered");
};

worker.onmessage = ({ data }) => {
  if (data.kind === "loading") at("progress").value = data.part;
  else if (data.kind === "starting") say("status", "Starting …");
  else if (data.kind === "ready") ready(data.catalogue);
  else if (data.kind === "failed") {
    say("status", `This did not work: ${data.message.trim().split("\n").at(-1)}`);
    at("progress").hidden = true;
    under = null;
  } else if (data.id === under) {
    under = null;
    if (again) {
      again = false;
      ask();
    } else show(data.answer, data.took);
  }
};

// --- choosing ---

const option = (value, name) => Object.assign(document.createElement("option"), { value, textContent: name });
const group = (label, options) => {
  const made = Object.assign(document.createElement("optgroup"), { label });
  made.append(...options);
  return made;
};

const ready = ({ formats, profiles }) => {
  const chosen = wanted ?? target.value;
  source.append(...formats.map(({ id, title }) => option(id, title)));
  target.replaceChildren(
    group("Formats", formats.flatMap(({ id, title, dialects }) => [
      option(id, title),
      ...dialects.slice(1).map((dialect) => option(`${id}:${dialect}`, `${title}, as ${dialect}`)),
    ])),
    group("Prompts of models", profiles.map(({ name, format }) => option(`profile:${name}`, `${name} (${format})`))),
  );
  target.value = chosen;
  say("status", "Ready.");
  at("progress").hidden = true;
  performance.mark("ready");
  if (text.value) ask();
};

const put = (value, { from = "", to } = {}) => {
  dropped = null;
  at("which").value = 1;
  text.value = value;
  source.value = from;
  if (to) {
    target.value = to;
    wanted = to;
  }
  ask();
};
let wanted = null; // the target of a link, until there are formats to choose

text.addEventListener("input", () => {
  dropped = null;
  soon();
});
for (const each of [source, target, at("which")]) each.addEventListener("change", ask);

const take = async (file) => {
  const data = new Uint8Array(await file.arrayBuffer());
  put(new TextDecoder().decode(data));
  dropped = data;
  ask();
};
at("open").addEventListener("click", () => at("file").click());
at("file").addEventListener("change", ({ target: { files } }) => files[0] && take(files[0]));
for (const kind of ["dragover", "dragleave", "drop"]) {
  text.addEventListener(kind, (event) => {
    event.preventDefault();
    text.classList.toggle("over", kind === "dragover");
    const file = kind === "drop" && event.dataTransfer.files[0];
    if (file) take(file);
    else if (kind === "drop") put(event.dataTransfer.getData("text"));
  });
}

const examples = await (await fetch("examples.json")).json();
at("examples").append(...examples.map(({ title }, index) => option(index, title)));
at("examples").addEventListener("change", (event) => {
  const example = examples[event.target.value];
  if (example) put(example.text, { to: example.target });
  event.target.value = "";
});

// --- giving ---

const copy = async (button, value) => {
  const name = button.textContent;
  await navigator.clipboard.writeText(value);
  button.textContent = "Copied";
  setTimeout(() => { button.textContent = name; }, 1500);
};
at("swap").addEventListener("click", () => put(shown.pretty, { to: shown.source }));
at("save").addEventListener("click", () => {
  const url = URL.createObjectURL(new Blob([shown.pretty]));
  const name = `transcript.${shown.kind === "json" ? "json" : "txt"}`;
  Object.assign(document.createElement("a"), { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
});

// A link has all of it behind its #, which browsers send to nobody.
const through = async (bytes, stream) => new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
const link = async () => {
  const said = new TextEncoder().encode(JSON.stringify({ text: text.value, from: source.value, to: target.value }));
  const packed = await through(said, new CompressionStream("deflate-raw"));
  const letters = Array.from(packed, (byte) => String.fromCharCode(byte)).join("");
  return `${location.href.split("#")[0]}#c=${btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`;
};
const follow = async () => {
  const [, packed] = location.hash.split("#c=");
  if (!packed) return;
  try {
    const bytes = Uint8Array.from(atob(packed.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
    const { text: value, from, to } = JSON.parse(new TextDecoder().decode(await through(bytes, new DecompressionStream("deflate-raw"))));
    put(value, { from, to });
  } catch {
    say("status", "This link is broken: its end is missing.");
  }
};
at("share").addEventListener("click", async ({ currentTarget }) => copy(currentTarget, await link()));
addEventListener("hashchange", follow);
await follow();
