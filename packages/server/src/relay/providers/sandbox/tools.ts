import { isObject, type Json, type JsonObject } from '../../../lib/json.ts';
import type { Conversation } from './text.ts';

export interface ToolCall {
  id: string;
  name: string;
  /** JSON text. */
  input: string;
}

/**
 * The tool call that the sandbox answers with, when tools are given and the choice demands one, or leaves it free and
 * the question names a tool or the word tool. After a tool's result it speaks again.
 */
export function toolCallFor(body: JsonObject, chat: Conversation): ToolCall | undefined {
  const tools = (Array.isArray(body.tools) ? body.tools : []).flatMap((tool) =>
    isObject(tool) && isObject(tool.function) ? [tool.function] : [],
  );
  const choice = body.tool_choice;
  if (tools.length === 0 || choice === 'none' || chat.toolResult !== undefined) return undefined;
  const forced = isObject(choice) && isObject(choice.function) ? choice.function.name : undefined;
  const asked = chat.question.toLowerCase();
  const tool =
    tools.find(({ name }) => name === forced) ??
    tools.find(({ name }) => typeof name === 'string' && asked.includes(name.toLowerCase())) ??
    (choice === 'required' || /\btools?\b/.test(asked) ? tools[0] : undefined);
  if (!tool || typeof tool.name !== 'string') return undefined;
  return {
    id: 'call_sandbox_1',
    name: tool.name,
    input: JSON.stringify(fill(tool.parameters, chat.question, 0)),
  };
}

/** A value that fits a JSON schema as far as a sandbox can: texts are the question, numbers 1, lists hold one entry. */
function fill(schema: Json | undefined, question: string, depth: number): Json {
  if (!isObject(schema) || depth > 5) return {};
  if (Array.isArray(schema.enum) && schema.enum.length > 0) return schema.enum[0]!;
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === 'string') return question;
  if (type === 'number' || type === 'integer') return 1;
  if (type === 'boolean') return true;
  if (type === 'null') return null;
  if (type === 'array') return [fill(schema.items, question, depth + 1)];
  const properties = isObject(schema.properties) ? schema.properties : {};
  return Object.fromEntries(
    Object.entries(properties).map(([key, value]) => [key, fill(value, question, depth + 1)]),
  );
}
