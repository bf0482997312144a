import type { JsonObject } from '../../../lib/json.ts';

const isFilled = (value: unknown): boolean => Array.isArray(value) && value.length > 0;

/**
 * True for callers of the API as it was before tools: they offer `functions`, expect one call at most, and read it from
 * `function_call`, where newer ones read `tool_calls`.
 */
export const callsFunctions = ({ functions, tools }: JsonObject): boolean =>
  isFilled(functions) && !isFilled(tools);
