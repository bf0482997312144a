import type { JsonObject } from '../../lib/json.ts';
import type { ProtocolId } from '../../relay/types/index.ts';

/** Caller protocols with vendor-hosted tools. */
export type Caller = 'openai-chat' | 'openai-responses' | 'anthropic-messages' | 'gemini';

/** A tool in a caller's request. */
export interface HostedExample {
  title: string;
  /** Its function, if another vendor is known to offer a similar tool. */
  does?: 'search' | 'fetch' | 'code' | 'tool search' | 'server';
  /** Texts that a body in the caller's own protocol must contain. */
  marks: string[];
  fields: JsonObject;
}

/** Each vendor's names for its own tools, from its public reference. */
export const vendorWords: Partial<Record<ProtocolId, Partial<Record<string, string>>>> = {
  'openai-chat': { search: '"web_search_options":{' },
  'openai-responses': {
    search: '"type":"web_search"',
    code: '"type":"code_interpreter"',
    server: '"type":"mcp","server_label":"s","server_url":"https://mcp.test"',
  },
  'anthropic-messages': {
    search: '"type":"web_search_20250305","name":"web_search"',
    fetch: '"type":"web_fetch_20250910","name":"web_fetch"',
    code: '"type":"code_execution_20250825","name":"code_execution"',
    server: '"mcp_servers":[{"type":"url","url":"https://mcp.test","name":"s"}]',
  },
  gemini: { search: '"googleSearch":{', fetch: '"urlContext":{', code: '"codeExecution":{' },
  'bedrock-converse': {
    search: '"systemTool":{"name":"nova_grounding"}',
    code: '"systemTool":{"name":"nova_code_interpreter"}',
  },
};

type Does = HostedExample['does'];

/** A tool with its type as its name. */
const typed = (type: string, does?: Does, more: JsonObject = {}): HostedExample => ({
  title: type,
  ...(does && { does }),
  marks: [`"type":"${type}"`],
  fields: { tools: [{ type, ...more }] },
});

const named = (type: string, name: string, does?: Does, more: JsonObject = {}): HostedExample =>
  typed(type, does, { name, ...more });

/** A tool with its name as the key of the object. */
const keyed = (name: string, does?: Does, value: JsonObject = {}): HostedExample => ({
  title: name,
  ...(does && { does }),
  marks: [`"${name}":`],
  fields: { tools: [{ [name]: value }] },
});

const field = (name: string, does: Does, value: JsonObject[string]): HostedExample => ({
  title: name,
  ...(does && { does }),
  marks: [`"${name}":`],
  fields: { [name]: value },
});

const schema = { type: 'object', properties: {} };
const server = { server_label: 's', server_url: 'https://mcp.test', require_approval: 'never' };

/** Every vendor-hosted tool in the reference of each caller's protocol. */
export const examples: Record<Caller, HostedExample[]> = {
  'openai-chat': [
    {
      ...field('web_search_options', 'search', { search_context_size: 'low' }),
    },
    field('search_parameters', 'search', { mode: 'on' }),
    field('enable_search', 'search', true),
    field('plugins', 'search', [{ id: 'web' }]),
    typed('openrouter:web_search', 'search'),
    typed('web_search', 'search', { web_search: { enable: true } }),
    typed('browser_search', 'search'),
    typed('code_interpreter', 'code', { container: { type: 'auto' } }),
    typed('custom', undefined, { custom: { name: 'free', format: { type: 'text' } } }),
    typed('mcp', undefined, server),
    typed('builtin_function', undefined, { name: '$web_search' }),
  ],
  'openai-responses': [
    typed('web_search', 'search', { filters: { allowed_domains: ['paris.test'] } }),
    typed('web_search_2025_08_26', 'search'),
    typed('web_search_preview', 'search', { search_context_size: 'low' }),
    typed('web_search_preview_2025_03_11', 'search'),
    typed('openrouter:web_search', 'search'),
    typed('file_search', undefined, { vector_store_ids: ['vs_1'] }),
    typed('code_interpreter', 'code', { container: { type: 'auto' } }),
    typed('computer_use_preview', undefined, { display_width: 9, display_height: 9, environment: 'linux' }),
    typed('computer'),
    typed('image_generation'),
    typed('mcp', 'server', server),
    typed('local_shell'),
    typed('shell', undefined, { environment: { type: 'local' } }),
    typed('apply_patch'),
    typed('programmatic_tool_calling'),
    {
      title: 'tool_search',
      does: 'tool search',
      marks: ['"type":"tool_search"'],
      fields: {
        tools: [
          { type: 'tool_search' },
          { type: 'function', name: 'found_later', parameters: schema, defer_loading: true },
        ],
      },
    },
    typed('x_search'),
  ],
  'anthropic-messages': [
    named('web_search_20250305', 'web_search', 'search', { max_uses: 3, allowed_domains: ['paris.test'] }),
    named('web_search_20260209', 'web_search', 'search'),
    named('web_search_20260318', 'web_search', 'search'),
    named('web_fetch_20250910', 'web_fetch', 'fetch'),
    named('web_fetch_20260309', 'web_fetch', 'fetch'),
    named('code_execution_20250522', 'code_execution', 'code'),
    named('code_execution_20250825', 'code_execution', 'code'),
    named('code_execution_20260521', 'code_execution', 'code'),
    named('computer_20250124', 'computer', undefined, { display_width_px: 9, display_height_px: 9 }),
    named('computer_toolset_20260801', 'computer'),
    named('browser_toolset_20260801', 'browser'),
    named('bash_20250124', 'bash'),
    named('text_editor_20250728', 'str_replace_based_edit_tool'),
    named('memory_20250818', 'memory'),
    {
      title: 'tool_search_tool_bm25_20251119',
      does: 'tool search',
      marks: ['"type":"tool_search_tool_bm25_20251119"'],
      fields: {
        tools: [
          { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' },
          { name: 'found_later', input_schema: schema, defer_loading: true },
        ],
      },
    },
    {
      title: 'mcp_servers, mcp_toolset',
      does: 'server',
      marks: ['"mcp_servers":', '"type":"mcp_toolset"'],
      fields: {
        mcp_servers: [{ type: 'url', url: 'https://mcp.test', name: 's' }],
        tools: [{ type: 'mcp_toolset', mcp_server_name: 's' }],
      },
    },
    named('advisor_20260301', 'advisor'),
  ],
  gemini: [
    keyed('googleSearch', 'search'),
    keyed('google_search', 'search'),
    keyed('googleSearchRetrieval', 'search', { dynamicRetrievalConfig: { mode: 'MODE_DYNAMIC' } }),
    keyed('enterpriseWebSearch', 'search'),
    keyed('parallelAiSearch', 'search'),
    keyed('exaAiSearch', 'search'),
    keyed('codeExecution', 'code'),
    keyed('urlContext', 'fetch'),
    keyed('googleMaps'),
    keyed('fileSearch', undefined, { fileSearchStoreNames: ['fileSearchStores/f'] }),
    keyed('retrieval', undefined, { vertexRagStore: {} }),
    keyed('computerUse', undefined, { environment: 'ENVIRONMENT_BROWSER' }),
    keyed('mcpServers'),
  ],
};

const hi = [{ role: 'user', content: 'hi' }];
const questions: Record<Caller, JsonObject> = {
  'openai-chat': { messages: hi },
  'openai-responses': { input: 'hi' },
  'anthropic-messages': { messages: hi, max_tokens: 9 },
  gemini: { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] },
};

/** A request that offers the tool. */
export const requestWith = (caller: Caller, { fields }: HostedExample): JsonObject => ({
  ...questions[caller],
  ...fields,
});
