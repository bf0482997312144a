import type { JsonObject } from '../../lib/json.ts';

/**
 * Purpose of a hosted tool: the vendor runs it, or the caller runs it by a schema that the vendor's models have learned.
 * No other vendor has the tools of `other`.
 */
export type HostedKind =
  | 'web-search'
  | 'url-context'
  | 'code-execution'
  | 'file-search'
  | 'image-generation'
  | 'maps'
  | 'mcp'
  | 'computer'
  | 'shell'
  | 'text-editor'
  | 'patch'
  | 'memory'
  | 'tool-search'
  | 'custom'
  | 'other';

/**
 * Markers of events that announce the use of a tool charged by its uses: in Messages and Converse, in Responses, and in
 * Gemini.
 */
export const toolUseMarks: readonly Buffer[] = [
  'server_tool_use',
  'search_call',
  'image_generation_call',
  'webSearchQueries',
].map((mark) => Buffer.from(mark));

/** Options of a web search: domains, location, context size, most uses. */
export interface SearchTerms {
  allowedDomains?: string[];
  blockedDomains?: string[];
  /** `city`, `region`, `country`, `timezone`. */
  place?: JsonObject;
  size?: string;
  mostUses?: number;
}

/** An MCP server that the vendor calls without approval. */
export interface ToolServer {
  name: string;
  url: string;
  /** Bearer token for the server. */
  token?: string;
  /** The tools that may be called; absent for all. */
  tools?: string[];
  description?: string;
  /** Fields about the presentation of tools to the model: left out, and reported. */
  hints: string[];
}

/** A page that a search found. */
interface FoundPage {
  url: string;
  title?: string;
}

/**
 * Call and result of a hosted tool. `id` is the vendor's id of the call, with the prefix of its protocol.
 */
export type HostedCall =
  | { kind: 'mcp'; id: string; server: string; name: string; input: string; output: string; isError: boolean }
  /** The tools of a server, each with `name`, `description` and `input_schema`. */
  | { kind: 'mcp-tools'; server: string; tools: JsonObject[] }
  | { kind: 'web-search'; id: string; query: string; pages: FoundPage[]; isError: boolean };

/** Something that a tool of the vendor made for the caller. */
export interface VendorMade {
  id: string;
  kind: 'container' | 'anthropic-file';
  /** Its session, as `Usage.containers`; absent if it has no price. */
  session?: number;
}
