import type { Tool, ToolChoice } from '../../types/index.ts';
import { isObject, type Json, type JsonObject, textOf } from '../../../lib/json.ts';

const own = 'openai-chat';

/** Tools, the functions of the older API, and the search that some models run. */
export function readTools(body: JsonObject): Tool[] {
  const tools = list(body.tools).map(readTool);
  const functions = list(body.functions).map((each) => readFunction(each));
  if (!isObject(body.web_search_options)) return [...tools, ...functions];
  const fields = { web_search_options: body.web_search_options };
  return [...tools, ...functions, { type: 'vendor', kind: 'web-search', extra: { protocol: own, fields } }];
}

const list = (value: Json | undefined): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);

function readTool(tool: JsonObject): Tool {
  if (isObject(tool.function)) return readFunction(tool.function);
  const type = textOf(tool.type);
  // OpenRouter runs these by itself: without them an answer is still an answer.
  if (type.startsWith('openrouter:')) {
    const kind = type.includes('web_search') ? { kind: 'web-search' as const } : {};
    return { type: 'vendor', ...kind, extra: { protocol: own, fields: tool } };
  }
  // A custom tool takes free text by a grammar; the caller runs it and expects such text.
  const essential = [`the tool type ${type}`];
  return { type: 'vendor', extra: { protocol: own, fields: tool, essential } };
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
