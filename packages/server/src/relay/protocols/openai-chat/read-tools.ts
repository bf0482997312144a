import type { Tool, ToolChoice } from '../../types/index.ts';
import { hostedTool, termsOfChat } from '../../conversation/index.ts';
import { isObject, type Json, type JsonObject, objectOf, textOf } from '../../../lib/json.ts';

const own = 'openai-chat';

/**
 * Tools, the functions of the older API, and the fields by which chats ask for a search: OpenAI's own, and those of the
 * vendors that copy its API.
 */
export function readTools(body: JsonObject): Tool[] {
  const tools = list(body.tools).map(readTool);
  const functions = list(body.functions).map((each) => readFunction(each));
  const fields = searchFields(body).map((name) => {
    const search = name === 'web_search_options' ? termsOfChat(objectOf(body[name])) : undefined;
    return hostedTool(own, name, { [name]: body[name] ?? {} }, search && { search });
  });
  return [...tools, ...functions, ...fields];
}

/** The fields of a chat that ask for a search of the web: of OpenAI, xAI, DashScope and OpenRouter. */
export const searchFields = (body: JsonObject): string[] =>
  [
    isObject(body.web_search_options) ? 'web_search_options' : '',
    isObject(body.search_parameters) && body.search_parameters.mode !== 'off' ? 'search_parameters' : '',
    body.enable_search === true ? 'enable_search' : '',
    list(body.plugins).some(({ id }) => id === 'web') ? 'plugins' : '',
  ].filter((name) => name !== '');

/** What a chat offers beside functions. */
export const hostedTypes = (body: JsonObject): string[] => [
  ...list(body.tools).flatMap((tool) => (isObject(tool.function) ? [] : [textOf(tool.type)])),
  ...searchFields(body),
];

const list = (value: Json | undefined): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);

function readTool(tool: JsonObject): Tool {
  if (isObject(tool.function)) return readFunction(tool.function);
  return hostedTool(own, textOf(tool.type), tool);
}

function readFunction({ name, description, parameters, strict }: JsonObject): Tool {
  return {
    type: 'function',
    name: textOf(name),
    ...(typeof description === 'string' && { description }),
    schema: isObject(parameters) ? parameters : { type: 'object', properties: {} },
    ...(typeof strict === 'boolean' && { strict }),
  };
}

interface ReadChoice {
  choice: ToolChoice;
  /** Names of the tools that may be called, where the caller listed them. */
  allowed?: ReadonlySet<string>;
}

/** `tool_choice`, or `function_call` of the older API. */
export function readToolChoice(choice: Json | undefined): ReadChoice | undefined {
  if (choice === 'auto' || choice === 'none' || choice === 'required') return { choice: { type: choice } };
  if (!isObject(choice)) return undefined;
  if (isObject(choice.allowed_tools)) return readAllowed(choice.allowed_tools);
  const name = isObject(choice.function) ? textOf(choice.function.name) : textOf(choice.name);
  return name === '' ? undefined : { choice: { type: 'tool', name } };
}

function readAllowed({ mode, tools }: JsonObject): ReadChoice {
  const names = list(tools).map((tool) =>
    isObject(tool.function) ? textOf(tool.function.name) : textOf(tool.name),
  );
  return { choice: { type: mode === 'required' ? 'required' : 'auto' }, allowed: new Set(names) };
}
