import { isObject, type Json, type JsonObject, textOf } from '../../lib/json.ts';

/** Operations of a channel's `param_override` on a request (docs/compatibility.md#steps-of-a-chat-call). */
const modes = [
  'set',
  'delete',
  'move',
  'copy',
  'append',
  'prepend',
  'replace',
  'trim_prefix',
  'trim_suffix',
  'trim_space',
  'ensure_prefix',
  'ensure_suffix',
  'to_lower',
  'to_upper',
] as const;
export type OperationMode = (typeof modes)[number];

const conditionModes = ['full', 'prefix', 'suffix', 'contains', 'gt', 'gte', 'lt', 'lte'] as const;
export type ConditionMode = (typeof conditionModes)[number];

/** Members of an operation and of a condition, each with its type if it has one. */
const operationMembers = {
  path: 'string',
  mode: 'string',
  value: undefined,
  keep_origin: 'boolean',
  from: 'string',
  to: 'string',
  conditions: 'object',
  logic: 'string',
} as const;
const conditionMembers = {
  path: 'string',
  mode: 'string',
  value: undefined,
  invert: 'boolean',
  pass_missing_key: 'boolean',
} as const;

/** Of `replace`, `from` and `to` are texts instead of paths. */
const movesPath: ReadonlySet<string> = new Set(['move', 'copy']);

/** The operations of a channel's override; undefined if `operations` is a field of the request. */
export function operationsOf(override: JsonObject): readonly JsonObject[] | undefined {
  const { operations } = override;
  return Array.isArray(operations) && operations.every(isObject) ? operations : undefined;
}

/** The steps of a path: `messages.-1.content`; a dot in a name is written `\.`. */
export const pathSteps = (path: string): string[] =>
  path.split(/(?<!\\)\./).map((step) => step.replaceAll('\\.', '.'));

/** Characters with which the original selects several members, and a name that no object may have. */
const isPath = (path: Json | undefined): boolean =>
  typeof path === 'string' &&
  path !== '' &&
  !/[#*?|@(){}[\]]/.test(path) &&
  pathSteps(path).every((step) => step !== '' && step !== '__proto__');

/** Names of the number of answers, in all protocols of channels. */
export const answerNumbers = ['n', 'candidateCount'];

/** True if a path ends with one of the names. */
const isNamed = (path: Json | undefined, names: readonly string[]): boolean =>
  typeof path === 'string' && names.includes(pathSteps(path).at(-1)!);

/**
 * True for an operation that takes the number of answers from another field. It has no effect: the field may be the limit
 * of output, which Tollgate itself sets to what is held for the number of answers.
 */
export const takesNumber = ({ mode, from, to }: JsonObject): boolean =>
  movesPath.has(textOf(mode)) && isNamed(to, answerNumbers) && !isNamed(from, answerNumbers);

/** The name of the first invalid part of a channel's operations; undefined without one. */
export function operationFault(override: JsonObject): string | undefined {
  const { operations } = override;
  if (!Array.isArray(operations)) return undefined;
  for (const [index, operation] of operations.entries()) {
    const fault = isObject(operation) ? faultIn(operation) : '';
    if (fault !== undefined) return `operations.${index}${fault}`;
  }
  return undefined;
}

function faultIn(operation: JsonObject): string | undefined {
  const member = wrongMember(operation, operationMembers);
  if (member !== undefined) return `.${member}`;
  const { mode, conditions, logic = 'OR' } = operation;
  if (!isOneOf(modes, mode)) return `.mode ${JSON.stringify(mode)}`;
  if (!/^(and|or)?$/i.test(textOf(logic))) return '.logic';
  const places = movesPath.has(mode) ? (['from', 'to'] as const) : (['path'] as const);
  for (const place of places) if (!isPath(operation[place])) return `.${place}`;
  if (takesNumber(operation)) return '.to';
  if (mode === 'replace' && !operation.from) return '.from';
  if (conditions === undefined || conditions === null) return undefined;
  if (!Array.isArray(conditions)) return '.conditions';
  for (const [index, condition] of conditions.entries()) {
    const fault = isObject(condition) ? conditionFault(condition) : '';
    if (fault !== undefined) return `.conditions.${index}${fault}`;
  }
  return undefined;
}

function conditionFault(condition: JsonObject): string | undefined {
  const member = wrongMember(condition, conditionMembers);
  if (member !== undefined) return `.${member}`;
  if (!isOneOf(conditionModes, condition.mode)) return `.mode ${JSON.stringify(condition.mode)}`;
  return isPath(condition.path) ? undefined : '.path';
}

/** A member without effect, or one of another type. */
function wrongMember(
  object: JsonObject,
  members: Readonly<Record<string, string | undefined>>,
): string | undefined {
  return Object.keys(object).find((name) => {
    if (!Object.hasOwn(members, name)) return true;
    const value = object[name];
    const type = members[name];
    return type !== undefined && value !== null && value !== undefined && typeof value !== type;
  });
}

const isOneOf = <Name extends string>(names: readonly Name[], name: unknown): name is Name =>
  names.some((each) => each === name);
