import { isObject, type Json, type JsonObject, objectsIn, textOf } from '../lib/json.ts';
import {
  type ConditionMode,
  type OperationMode,
  operationsOf,
  pathSteps,
  takesNumber,
} from './types/index.ts';

type Container = JsonObject | Json[];

/** A list grows by one item at a time: a large index would fill it with nothing. */
const indexIn = (list: readonly Json[], step: string): number => {
  if (!/^-?\d{1,6}$/.test(step)) return -1;
  const index = Number(step);
  return index < 0 ? list.length + index : index;
};

const memberOf = (container: Json | undefined, step: string): Json | undefined => {
  if (Array.isArray(container)) return container[indexIn(container, step)];
  return isObject(container) && Object.hasOwn(container, step) ? container[step] : undefined;
};

function valueAt(body: Json, path: string): Json | undefined {
  let value: Json | undefined = body;
  for (const step of pathSteps(path)) value = memberOf(value, step);
  return value;
}

/**
 * Copies the lists and objects on the way to a path's last step, because the draft shares them with the caller's
 * request, which other channels get unchanged. Undefined if the way does not exist and may not be created.
 */
function ownedParent(body: JsonObject, steps: readonly string[], isMade: boolean): Container | undefined {
  let parent: Container = body;
  for (const [index, step] of steps.slice(0, -1).entries()) {
    const child = memberOf(parent, step);
    let owned: Container;
    if (Array.isArray(child)) owned = [...child];
    else if (isObject(child)) owned = { ...child };
    else if (child === undefined && isMade) owned = steps[index + 1] === '0' ? [] : {};
    else return undefined;
    if (!put(parent, step, owned)) return undefined;
    parent = owned;
  }
  return parent;
}

function put(parent: Container, step: string, value: Json): boolean {
  if (step === '__proto__') return false;
  if (!Array.isArray(parent)) {
    parent[step] = value;
    return true;
  }
  const index = indexIn(parent, step);
  if (index < 0 || index > parent.length) return false;
  parent[index] = value;
  return true;
}

function set(body: JsonObject, path: string, value: Json): void {
  const steps = pathSteps(path);
  const parent = ownedParent(body, steps, true);
  if (parent) put(parent, steps.at(-1)!, value);
}

function remove(body: JsonObject, path: string): void {
  if (valueAt(body, path) === undefined) return;
  const steps = pathSteps(path);
  const parent = ownedParent(body, steps, false);
  const last = steps.at(-1)!;
  if (Array.isArray(parent)) parent.splice(indexIn(parent, last), 1);
  else if (parent) delete parent[last];
}

/** A text, a list or an object with `value` added at its start or end; undefined for other values. */
function joined(
  current: Json | undefined,
  value: Json,
  { before, keeps }: { before: boolean; keeps: boolean },
) {
  if (Array.isArray(current)) {
    const added = Array.isArray(value) ? value : [value];
    return before ? [...added, ...current] : [...current, ...added];
  }
  if (typeof current === 'string') {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return before ? text + current : current + text;
  }
  if (!isObject(current) || !isObject(value)) return undefined;
  return keeps ? { ...value, ...current } : { ...current, ...value };
}

const textChanges: Partial<
  Record<OperationMode, (text: string, value: string, operation: JsonObject) => string>
> = {
  replace: (text, _value, { from, to }) => text.replaceAll(textOf(from), () => textOf(to)),
  trim_prefix: (text, value) => (text.startsWith(value) ? text.slice(value.length) : text),
  trim_suffix: (text, value) => (value !== '' && text.endsWith(value) ? text.slice(0, -value.length) : text),
  trim_space: (text) => text.trim(),
  ensure_prefix: (text, value) => (text.startsWith(value) ? text : value + text),
  ensure_suffix: (text, value) => (text.endsWith(value) ? text : text + value),
  to_lower: (text) => text.toLowerCase(),
  to_upper: (text) => text.toUpperCase(),
};

/** Result of an operation on the value at its path; undefined if it does not apply to such a value. */
function changed(operation: JsonObject, current: Json | undefined): Json | undefined {
  const { value = null } = operation;
  const mode = operation.mode as OperationMode;
  const keeps = operation.keep_origin === true;
  if (mode === 'set') return keeps && current !== undefined ? undefined : value;
  if (mode === 'append' || mode === 'prepend')
    return joined(current, value, { before: mode === 'prepend', keeps });
  return typeof current === 'string' ? textChanges[mode]?.(current, textOf(value), operation) : undefined;
}

function carryOut(body: JsonObject, operation: JsonObject): void {
  const path = textOf(operation.path);
  if (operation.mode === 'delete') return remove(body, path);
  if (operation.mode === 'move' || operation.mode === 'copy') {
    const from = textOf(operation.from);
    const value = valueAt(body, from);
    if (value === undefined || takesNumber(operation)) return;
    if (operation.mode === 'move') remove(body, from);
    return set(body, textOf(operation.to), value);
  }
  const result = changed(operation, valueAt(body, path));
  if (result !== undefined) set(body, path, result);
}

const comparisons: Record<ConditionMode, (found: Json, wanted: Json) => boolean> = {
  full: (found, wanted) => JSON.stringify(found) === JSON.stringify(wanted),
  prefix: (found, wanted) => asText(found).startsWith(asText(wanted)),
  suffix: (found, wanted) => asText(found).endsWith(asText(wanted)),
  contains: (found, wanted) => asText(found).includes(asText(wanted)),
  gt: (found, wanted) => areNumbers(found, wanted) && Number(found) > Number(wanted),
  gte: (found, wanted) => areNumbers(found, wanted) && Number(found) >= Number(wanted),
  lt: (found, wanted) => areNumbers(found, wanted) && Number(found) < Number(wanted),
  lte: (found, wanted) => areNumbers(found, wanted) && Number(found) <= Number(wanted),
};
const asText = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));
const areNumbers = (...values: Json[]): boolean => values.every((value) => typeof value === 'number');

/** Further facts that conditions may use beside the members of the request. */
interface OverrideContext {
  /** The upstream model name. */
  model: string;
  requestedModel: string;
  path: string;
}

function isMet(condition: JsonObject, body: JsonObject, context: JsonObject): boolean {
  const { path, mode, value = null, invert, pass_missing_key: passes } = condition;
  const found = valueAt(body, textOf(path)) ?? valueAt(context, textOf(path));
  if (found === undefined) return passes === true;
  return comparisons[mode as ConditionMode](found, value) !== (invert === true);
}

function applies({ conditions, logic }: JsonObject, body: JsonObject, context: JsonObject): boolean {
  const all = objectsIn(conditions);
  if (all.length === 0) return true;
  const test = (condition: JsonObject): boolean => isMet(condition, body, context);
  return textOf(logic).toUpperCase() === 'AND' ? all.every(test) : all.some(test);
}

/**
 * Applies a channel's `param_override` to a request: fields that replace those of the request, then operations in their order.
 * An operation that does not fit the request changes nothing.
 */
export function applyOverride(draft: JsonObject, override: JsonObject, context: OverrideContext): void {
  const operations = operationsOf(override);
  for (const [key, value] of Object.entries(override))
    if (key !== '__proto__' && !(operations && key === 'operations')) draft[key] = value;
  if (!operations) return;
  const asked: JsonObject = {
    model: context.model,
    upstream_model: context.model,
    original_model: context.requestedModel,
    request_path: context.path,
  };
  for (const operation of operations) if (applies(operation, draft, asked)) carryOut(draft, operation);
}
