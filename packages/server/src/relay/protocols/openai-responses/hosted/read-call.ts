import type { HostedCall } from '../../../types/index.ts';
import { type Json, type JsonObject, objectOf, objectsIn, textOf } from '../../../../lib/json.ts';

/** The run of a hosted tool in an item, as far as other protocols can express it. */
export function callOf(item: JsonObject): HostedCall | undefined {
  switch (item.type) {
    case 'mcp_call':
      return readMcpCall(item);
    case 'mcp_list_tools':
      return errorIn(item.error) === '' ? readList(item) : undefined;
    case 'web_search_call':
      return readSearch(item);
    default:
      return undefined;
  }
}

function readMcpCall(item: JsonObject): HostedCall {
  const error = errorIn(item.error);
  return {
    kind: 'mcp',
    id: textOf(item.id),
    server: textOf(item.server_label),
    name: textOf(item.name),
    input: textOf(item.arguments),
    output: error || textOf(item.output),
    isError: error !== '' || item.status === 'failed',
  };
}

/** A failure as text; some servers send it as content. */
function errorIn(error: Json | undefined): string {
  if (typeof error === 'string') return error;
  const { message, content } = objectOf(error);
  return (
    textOf(message) ||
    objectsIn(content)
      .map((part) => textOf(part.text))
      .join('\n')
  );
}

const readList = ({ server_label: server, tools }: JsonObject): HostedCall => ({
  kind: 'mcp-tools',
  server: textOf(server),
  tools: objectsIn(tools).map(({ name, description, input_schema: schema }) => ({
    name: textOf(name),
    description: textOf(description),
    input_schema: objectOf(schema),
  })),
});

/** Opening a found page, and searching in it, has no form in other protocols. */
function readSearch(item: JsonObject): HostedCall | undefined {
  const { type, query, queries, sources } = objectOf(item.action);
  if (type !== 'search' && type !== undefined) return undefined;
  const [first] = Array.isArray(queries) ? queries : [];
  return {
    kind: 'web-search',
    id: textOf(item.id),
    query: textOf(query) || textOf(first),
    pages: objectsIn(sources).flatMap(({ url, title }) =>
      typeof url === 'string' ? [{ url, ...(typeof title === 'string' && { title }) }] : [],
    ),
    isError: item.status === 'failed',
  };
}
