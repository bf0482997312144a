import { isObject, type JsonObject } from '../../../lib/json.ts';
import type { Tool } from '../../types/index.ts';

/**
 * Tools that the vendor runs, by the beginning of their type. Those that several vendors have, by their kind, are translated
 * or refused; without the others an answer is still an answer.
 */
export const vendorRun: readonly [string, Extract<Tool, { type: 'vendor' }>['kind']][] = [
  ['web_search', 'web-search'],
  ['code_execution', 'code-execution'],
  ['web_fetch', 'url-context'],
  ['tool_search', undefined],
];

/** True where a request offers a tool that several vendors run and call otherwise: a search, code, a page. */
export const offersHostedTools = ({ tools }: JsonObject): boolean =>
  Array.isArray(tools) &&
  tools.some((tool) => {
    const type = isObject(tool) ? tool.type : undefined;
    return typeof type === 'string' && vendorRun.some(([prefix, kind]) => kind && type.startsWith(prefix));
  });
