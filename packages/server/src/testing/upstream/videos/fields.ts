import type { Json, JsonObject } from '../../../lib/json.ts';

/** True for a value that a vendor accepts in a field; an absent field is undefined. */
export type Check = (value: Json | undefined) => boolean;

export const text: Check = (value) => typeof value === 'string' && value !== '';
export const choice =
  (...choices: readonly (string | number)[]): Check =>
  (value) =>
    choices.some((each) => each === value);
export const whole =
  (least: number, most: number): Check =>
  (value) =>
    Number.isInteger(value) && Number(value) >= least && Number(value) <= most;
export const maybe =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);

/** The first missing or wrong field; undefined if the body is valid. */
export const wrongField = (body: JsonObject, checks: Readonly<Record<string, Check>>): string | undefined =>
  Object.keys(checks).find((name) => !checks[name]?.(body[name]));
