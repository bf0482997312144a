import type { JsonObject } from '../../../lib/json.ts';

const isFilled = (value: unknown): boolean => Array.isArray(value) && value.length > 0;

/**
 * True for callers of the older API without tools: they offer `functions`, expect at most one call, and read it from
 * `function_call`, while newer ones read `tool_calls`.
 */
export const callsFunctions = ({ functions, tools }: JsonObject): boolean =>
  isFilled(functions) && !isFilled(tools);
