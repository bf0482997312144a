import type { HostedTool, ProtocolId, RequestContext, ToolServer } from '../types/index.ts';
import {
  isFilled,
  isObject,
  type Json,
  type JsonObject,
  objectOf,
  objectsIn,
  textOf,
} from '../../lib/json.ts';
import { cannotTranslate } from './untranslatable.ts';

/**
 * MCP servers that a vendor calls: the tool `mcp` of Responses, and `mcp_servers` with an `mcp_toolset` each of
 * Messages. Restrictions without an equivalent are refused by name, because the model could otherwise call forbidden
 * tools.
 */
type ServerTool = Pick<HostedTool, 'server' | 'extra'>;

const textsIn = (value: Json | undefined): string[] =>
  Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : [];

const given = (fields: JsonObject): string[] => Object.keys(fields).filter((name) => fields[name] !== null);

/** Fields of the tool `mcp` with a form in Messages, or with no effect there. */
const knownInResponses = new Set(
  (
    'type server_label server_url authorization headers allowed_tools require_approval server_description ' +
    'defer_loading'
  ).split(' '),
);

/** The server behind a tool `mcp` of Responses. */
export function serverOfResponses(tool: JsonObject): ServerTool {
  const { server_label: label, server_url: url, allowed_tools: allowed, server_description: words } = tool;
  const token = tokenIn(tool);
  const tools = isObject(allowed) ? allowed.tool_names : allowed;
  const essential = [
    ...given(tool).filter((name) => !knownInResponses.has(name)),
    ...(typeof url === 'string' ? [] : ['server_url']),
    ...(tool.require_approval === 'never' ? [] : ['require_approval']),
    ...(token === false ? ['headers'] : []),
    ...(given(objectOf(allowed)).some((name) => name !== 'tool_names') ? ['allowed_tools'] : []),
  ];
  return {
    server: {
      name: textOf(label),
      url: textOf(url),
      ...(typeof token === 'string' && { token }),
      ...(Array.isArray(tools) && { tools: textsIn(tools) }),
      ...(typeof words === 'string' && { description: words }),
      hints: tool.defer_loading === true ? ['defer_loading'] : [],
    },
    extra: { protocol: 'openai-responses', fields: tool, ...(essential.length > 0 && { essential }) },
  };
}

/** Credentials for a server; false if they are more than a bearer token. */
function tokenIn({ authorization, headers }: JsonObject): string | false | undefined {
  const others = Object.entries(objectOf(headers));
  if (others.length === 0) return typeof authorization === 'string' ? authorization : undefined;
  const [[name, value] = []] = others;
  const [, token] = /^Bearer (\S+)$/i.exec(textOf(value)) ?? [];
  const isBearer = others.length === 1 && name?.toLowerCase() === 'authorization' && token !== undefined;
  return isBearer && authorization === undefined ? token : false;
}

/** The servers of a Messages request with their toolsets, and toolsets without a server. */
export function serversOfMessages(servers: Json | undefined, tools: Json | undefined): ServerTool[] {
  const toolsets = objectsIn(tools).filter(({ type }) => type === 'mcp_toolset');
  const byServer = new Map(toolsets.toReversed().map((toolset) => [toolset.mcp_server_name, toolset]));
  const named = objectsIn(servers).map((server) => serverOfMessages(server, byServer.get(server.name)));
  const known = new Set<Json | undefined>(named.map(({ server }) => server?.name));
  const withoutServer = toolsets.filter(({ mcp_server_name: name }) => !known.has(name));
  const essential = ['mcp_server_name'];
  return [
    ...named,
    ...withoutServer.map((toolset): ServerTool => ({
      extra: { protocol: 'anthropic-messages', fields: { type: 'mcp_toolset', toolset }, essential },
    })),
  ];
}

const knownOfServer = new Set('type url name authorization_token tool_configuration'.split(' '));
const knownOfToolset = new Set('type mcp_server_name default_config configs cache_control tools'.split(' '));

function serverOfMessages(server: JsonObject, toolset: JsonObject | undefined): ServerTool {
  const { name, url, authorization_token: token } = server;
  const { tools, deniesSome } = toolset ? toolsOf(toolset) : toolsOfBefore(server);
  const essential = [
    ...given(server).filter((field) => !knownOfServer.has(field)),
    ...given(toolset ?? {}).filter((field) => !knownOfToolset.has(field)),
    ...(deniesSome ? ['configs'] : []),
  ];
  const type = toolset ? 'mcp_toolset' : 'mcp_servers';
  const fields = { type, server, ...(toolset && { toolset }) };
  return {
    server: {
      name: textOf(name),
      url: textOf(url),
      ...(typeof token === 'string' && { token }),
      ...(tools && { tools }),
      hints: hintsOf(toolset ?? {}),
    },
    extra: { protocol: 'anthropic-messages', fields, ...(essential.length > 0 && { essential }) },
  };
}

interface ToolChoiceOfServer {
  tools?: string[];
  /** Some tools are forbidden and all others allowed; their names are unknown here. */
  deniesSome?: boolean;
}

function toolsOf({ default_config: usual, configs, tools }: JsonObject): ToolChoiceOfServer {
  const listed = Object.entries(objectOf(configs));
  const isOn = objectOf(usual).enabled !== false;
  const enabled = (name: string): boolean => {
    const { enabled: own } = objectOf(objectOf(configs)[name]);
    return typeof own === 'boolean' ? own : isOn;
  };
  // A list that the caller sets is complete.
  if (Array.isArray(tools))
    return {
      tools: objectsIn(tools)
        .map(({ name }) => textOf(name))
        .filter(enabled),
    };
  if (!isOn) return { tools: listed.map(([name]) => name).filter(enabled) };
  return { deniesSome: listed.some(([name]) => !enabled(name)) };
}

/** The form of version 2025-04-04: the tools are a field of the server. */
function toolsOfBefore({ tool_configuration: given }: JsonObject): ToolChoiceOfServer {
  const { enabled, allowed_tools: allowed } = objectOf(given);
  if (enabled === false) return { tools: [] };
  return Array.isArray(allowed) ? { tools: textsIn(allowed) } : {};
}

function hintsOf({ default_config: usual, configs, cache_control: cache, tools }: JsonObject): string[] {
  const all = [usual, ...Object.values(objectOf(configs))];
  return [
    ...(all.some((config) => objectOf(config).defer_loading === true) ? ['defer_loading'] : []),
    ...(isFilled(cache) ? ['cache_control'] : []),
    ...(Array.isArray(tools) ? ['mcp_toolset.tools'] : []),
  ];
}

/** Pattern of OpenAI's server names. */
const label = /^[A-Za-z][\w-]*$/;

/**
 * A server in the form of Responses, or its toolset in that of Messages (`writeServer` has the rest). Throws
 * RelayError (400, `cannot_translate`) if the other protocol has no equivalent.
 */
export function writeToolServer(
  { server, extra }: ServerTool,
  own: ProtocolId,
  { drop }: Pick<RequestContext, 'drop'>,
): JsonObject | undefined {
  const [essential] = extra.essential ?? [];
  const title = textOf(extra.fields.type);
  if (!server || essential !== undefined) {
    throw cannotTranslate(
      essential === undefined ? `the tool ${title}` : `${essential} of the tool ${title}`,
      own,
    );
  }
  for (const hint of server.hints) drop(hint);
  // A server without callable tools is omitted, because some vendors read an empty list as all.
  if (server.tools?.length === 0) return undefined;
  if (own === 'anthropic-messages') {
    if (server.description !== undefined) drop('server_description');
    return writeToolset(server);
  }
  if (!label.test(server.name))
    throw cannotTranslate('a server name of other than letters, digits, - and _', own);
  return {
    type: 'mcp',
    server_label: server.name,
    server_url: server.url,
    ...(server.token !== undefined && { authorization: server.token }),
    ...(server.tools && { allowed_tools: server.tools }),
    ...(server.description !== undefined && { server_description: server.description }),
    require_approval: 'never',
  };
}

const writeToolset = ({ name, tools }: ToolServer): JsonObject => ({
  type: 'mcp_toolset',
  mcp_server_name: name,
  ...(tools && {
    default_config: { enabled: false },
    configs: Object.fromEntries(tools.map((tool) => [tool, { enabled: true }])),
  }),
});

/** A server in the form of `mcp_servers` of Messages. */
export const writeServer = ({ name, url, token }: ToolServer): JsonObject => ({
  type: 'url',
  url,
  name,
  ...(token !== undefined && { authorization_token: token }),
});
