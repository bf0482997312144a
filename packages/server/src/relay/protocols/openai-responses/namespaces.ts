import { sha256 } from '../../../lib/hash.ts';
import { type JsonObject, objectsIn, textOf } from '../../../lib/json.ts';

/** The longest function name that all vendors accept. */
const maxName = 64;
const markLength = 8;

/**
 * A namespace gathers tools under one name, which no other protocol can express: there each of its tools is a separate
 * function, with the namespace before its name, and a call of it gets its namespace back in the answer to the caller.
 */
export function flatName(namespace: string, name: string): string {
  if (namespace === '') return name;
  const flat = `${namespace}__${name}`;
  if (flat.length <= maxName) return flat;
  return `${flat.slice(0, maxName - markLength - 1)}_${sha256(flat).slice(0, markLength)}`;
}

/** The tools of a request, including those in namespaces; each with its namespace, or ''. */
export const toolsIn = (list: JsonObject['tools']): { tool: JsonObject; namespace: string }[] =>
  objectsIn(list).flatMap((tool) =>
    tool.type === 'namespace'
      ? objectsIn(tool.tools).map((each) => ({ tool: each, namespace: textOf(tool.name) }))
      : [{ tool, namespace: '' }],
  );

/**
 * A search for tools that the caller runs (`execution: client`). For other protocols it is a function of this name,
 * and the found tools are offered like all others.
 */
export const searchName = 'tool_search';

/** True for such a tool, a call of it, and its result. */
export const isClientSearch = ({ type, execution }: JsonObject): boolean =>
  textOf(type).startsWith(searchName) && execution === 'client';

const bringsTools = (item: JsonObject): boolean =>
  item.type === 'additional_tools' || (item.type === 'tool_search_output' && isClientSearch(item));

/** The tools of a request, and those within its conversation (`additional_tools`, found tools). */
export const offeredTools = ({ tools, input }: JsonObject): JsonObject[] => [
  ...objectsIn(tools),
  ...objectsIn(input).flatMap((item) => (bringsTools(item) ? objectsIn(item.tools) : [])),
];

/** A tool in the caller's form. */
export interface OfferedTool {
  name: string;
  /** '' for most tools. */
  namespace: string;
  kind: 'function' | 'custom' | 'search';
}

/** The caller's tools whose calls differ from a plain function's, by their name in other protocols. */
export function specialTools(request: JsonObject): ReadonlyMap<string, OfferedTool> {
  const special = new Map<string, OfferedTool>();
  for (const { tool, namespace } of toolsIn(offeredTools(request))) {
    const name = textOf(tool.name);
    if (isClientSearch(tool)) special.set(searchName, { name: searchName, namespace: '', kind: 'search' });
    const kind = tool.type === 'custom' ? 'custom' : 'function';
    if (kind === 'custom' || namespace !== '')
      special.set(flatName(namespace, name), { name, namespace, kind });
  }
  return special;
}

/** Joins the tools of one namespace that were split over several. */
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
