import { sha256 } from '../../../lib/hash.ts';
import { type JsonObject, objectsIn, textOf } from '../../../lib/json.ts';

/** The longest name of a function that all vendors take. */
const maxName = 64;
const markLength = 8;

/**
 * A namespace gathers tools under one name, which no other protocol can say: there each of its tools is a function of
 * its own, with the namespace before its name, and a call of it gets its namespace back on the way to the caller.
 */
export function flatName(namespace: string, name: string): string {
  if (namespace === '') return name;
  const flat = `${namespace}__${name}`;
  if (flat.length <= maxName) return flat;
  return `${flat.slice(0, maxName - markLength - 1)}_${sha256(flat).slice(0, markLength)}`;
}

/** The tools of a request, those in namespaces beside the others; each with the namespace it stood in, or ''. */
export const toolsIn = (list: JsonObject['tools']): { tool: JsonObject; namespace: string }[] =>
  objectsIn(list).flatMap((tool) =>
    tool.type === 'namespace'
      ? objectsIn(tool.tools).map((each) => ({ tool: each, namespace: textOf(tool.name) }))
      : [{ tool, namespace: '' }],
  );

/** The tools of a request, and those that its conversation brings along (`additional_tools`). */
export const offeredTools = ({ tools, input }: JsonObject): JsonObject[] => [
  ...objectsIn(tools),
  ...objectsIn(input).flatMap((item) => (item.type === 'additional_tools' ? objectsIn(item.tools) : [])),
];

/** A tool as its caller knows it. */
export interface OfferedTool {
  name: string;
  /** '' for most. */
  namespace: string;
  isCustom: boolean;
}

/** The tools of a caller's request whose calls look otherwise than a plain function's, by the name that others know. */
export function specialTools(request: JsonObject): ReadonlyMap<string, OfferedTool> {
  const special = new Map<string, OfferedTool>();
  for (const { tool, namespace } of toolsIn(offeredTools(request))) {
    const name = textOf(tool.name);
    const isCustom = tool.type === 'custom';
    if (isCustom || namespace !== '') special.set(flatName(namespace, name), { name, namespace, isCustom });
  }
  return special;
}

/** Puts the tools of one namespace, which stand in namespaces of their own, back together. */
export function gatherNamespaces(tools: readonly JsonObject[]): JsonObject[] {
  const gathered: JsonObject[] = [];
  const toolsOf = new Map<JsonObject['name'], JsonObject[]>();
  for (const tool of tools) {
    if (tool.type !== 'namespace') {
      gathered.push({ ...tool });
      continue;
    }
    const inner = objectsIn(tool.tools);
    const same = toolsOf.get(tool.name);
    if (same) for (const each of inner) same.push(each);
    else {
      toolsOf.set(tool.name, inner);
      gathered.push({ ...tool, tools: inner });
    }
  }
  return gathered;
}
