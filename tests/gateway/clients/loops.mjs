// Agent loops through JavaScript libraries: `node loops.mjs URL CLIENT QUESTION` prints the final answer.
// Run it where openai, ai, @ai-sdk/openai, @ai-sdk/openai-compatible and zod are installed.

import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const require = createRequire(process.cwd() + "/");
const load = async (name) => import(pathToFileURL(require.resolve(name)));
const MODEL = "gpt-oss-20b";
const weather = ({ city }) => `${city}: dry`;
const parameters = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };

async function runTools(url, question, stream) {
  const { default: OpenAI } = await load("openai");
  const client = new OpenAI({ baseURL: url, apiKey: "k" });
  const tool = { type: "function", function: { name: "get_weather", parameters, parse: JSON.parse, function: weather } };
  const messages = [{ role: "user", content: question }];
  return client.chat.completions.runTools({ model: MODEL, messages, tools: [tool], stream }).finalContent();
}

async function ai(url, question, make, stream) {
  const { generateText, streamText, tool, stepCountIs } = await load("ai");
  const { z } = await load("zod");
  const tools = { get_weather: tool({ inputSchema: z.object({ city: z.string() }), execute: async (given) => weather(given) }) };
  const asked = { model: await make(url), prompt: question, tools, stopWhen: stepCountIs(5) };
  return stream ? await streamText(asked).text : (await generateText(asked)).text;
}

const compatible = async (url) =>
  (await load("@ai-sdk/openai-compatible")).createOpenAICompatible({ name: "own", baseURL: url, apiKey: "k" })(MODEL);
const chat = async (url) => (await load("@ai-sdk/openai")).createOpenAI({ baseURL: url, apiKey: "k" }).chat(MODEL);
const responses = async (url) => (await load("@ai-sdk/openai")).createOpenAI({ baseURL: url, apiKey: "k" })(MODEL);

const CLIENTS = {
  openai: (url, question) => runTools(url, question, false),
  openai_streamed: (url, question) => runTools(url, question, true),
  ai_compatible: (url, question) => ai(url, question, compatible, false),
  ai_compatible_streamed: (url, question) => ai(url, question, compatible, true),
  ai_openai_chat: (url, question) => ai(url, question, chat, false),
  ai_openai_chat_streamed: (url, question) => ai(url, question, chat, true),
  ai_openai_responses: (url, question) => ai(url, question, responses, false),
  ai_openai_responses_streamed: (url, question) => ai(url, question, responses, true),
};

const [url, client, question] = process.argv.slice(2);
console.log(await CLIENTS[client](url, question));
