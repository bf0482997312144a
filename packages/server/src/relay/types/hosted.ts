import type { JsonObject } from '../../lib/json.ts';

/**
 * What a tool does that is not a function of the caller's: the vendor runs it, or the caller does by a schema that the
 * vendor's models have learned. `other` is one that no other vendor is known to have.
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
 * Parts of the events by which streams announce the use of a tool that is charged by its uses: in Messages and Converse,
 * in Responses, and in Gemini.
 */
export const toolUseMarks: readonly Buffer[] = [
  'server_tool_use',
  'search_call',
  'image_generation_call',
  'webSearchQueries',
].map((mark) => Buffer.from(mark));

/** Where a search of the web looks, from where it is asked, how much it brings along, and how often it may be made. */
export interface SearchTerms {
  allowedDomains?: string[];
  blockedDomains?: string[];
  /** `city`, `region`, `country`, `timezone`. */
  place?: JsonObject;
  size?: string;
  mostUses?: number;
}

/** A server of tools (Model Context Protocol) that the vendor calls by itself, without asking anybody. */
export interface ToolServer {
  name: string;
  url: string;
  /** What the server knows the caller by, as a bearer. */
  token?: string;
  /** The only tools of it that may be called; all where nothing is said. */
  tools?: string[];
  description?: string;
  /** Fields that steer how the tools are shown to the model and not which: left out by name. */
  hints: string[];
}

/** A page that a search found. */
export interface FoundPage {
  url: string;
  title?: string;
}

/**
 * What a tool that the vendor ran was asked and what came of it. `id` is the vendor's name of the call, with the prefix
 * that its protocol wants.
 */
export type HostedCall =
  | { kind: 'mcp'; id: string; server: string; name: string; input: string; output: string; isError: boolean }
  /** The tools that a server told of, each with `name`, `description` and `input_schema`. */
  | { kind: 'mcp-tools'; server: string; tools: JsonObject[] }
  | { kind: 'web-search'; id: string; query: string; pages: FoundPage[]; isError: boolean };
