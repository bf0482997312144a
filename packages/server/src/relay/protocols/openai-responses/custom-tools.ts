import { isObject, type JsonObject, textOf, parseObject } from '../../../lib/json.ts';

/**
 * Custom tools accept a free text, while every other protocol has only functions with arguments. There a custom tool is
 * a function with one argument, `input`, and a call of it becomes a custom call again in the answer.
 */
export const customSchema: JsonObject = {
  type: 'object',
  properties: { input: { type: 'string', description: 'The input of the tool, as free text.' } },
  required: ['input'],
  additionalProperties: false,
};

/** The arguments of such a function. */
export const wrapInput = (input: string): string => JSON.stringify({ input });

/** The free text in the arguments of such a function; the unchanged arguments if the model used another form. */
export function unwrapInput(args: string): string {
  const parsed = parseObject(args);
  return typeof parsed?.input === 'string' ? parsed.input : args;
}

/** The input format of a custom tool, as text for models that see only the description. */
export function describeFormat(tool: JsonObject): string {
  const description = textOf(tool.description);
  if (!isObject(tool.format) || typeof tool.format.definition !== 'string') return description;
  return `${description}\n\nThe input must follow this grammar:\n${tool.format.definition}`.trim();
}
