import { addMember, changeLastEvent } from '../../streams/index.ts';
import type { UncountedEnd, VendorMade } from '../../types/index.ts';
import {
  containerGigabytes,
  counter,
  inputTokens,
  outputTokens,
  type Usage,
  usageOf,
} from '@tollgate/contract';
import {
  entryOf,
  isObject,
  type Json,
  type JsonObject,
  objectOf,
  objectsIn,
  textOf,
} from '../../../lib/json.ts';
import {
  imageOutputTokens,
  maxImageTokens,
  partialImageTokens,
  readOpenaiUsage,
} from '../../families/openai/index.ts';

/** Vendor tools with a price per call, with their names in xAI's counters. */
interface ToolCalls {
  web_search_calls: number;
  file_search_calls: number;
}

/**
 * The usage of a response, with calls of charged tools and drawn images; undefined if none is reported. xAI and
 * Perplexity report their tools; for all others the items of the answer are counted.
 */
export function usageIn(response: JsonObject): JsonObject | undefined {
  if (!isObject(response.usage)) return undefined;
  const { service_tier: tier } = response;
  const reported = { ...response.usage, ...callsIn(response), ...drawnIn(response) };
  return typeof tier === 'string' ? { ...reported, service_tier: tier } : reported;
}

function callsIn(response: JsonObject): ToolCalls {
  const reported = objectOf(response.usage).server_side_tool_usage_details;
  if (isObject(reported)) {
    return {
      web_search_calls: counter(reported.web_search_calls),
      file_search_calls: counter(reported.file_search_calls),
    };
  }
  const counted = objectOf(response.usage).tool_calls_details;
  if (isObject(counted)) {
    return { web_search_calls: counter(objectOf(counted.search_web).invocation), file_search_calls: 0 };
  }
  const items = objectsIn(response.output);
  return {
    web_search_calls: items.filter(isSearch).length,
    file_search_calls: items.filter(({ type }) => type === 'file_search_call').length,
  };
}

/** Tokens of images that a vendor tool drew, which the model's own usage does not include. */
interface DrawnTokens {
  drawn_input: number;
  drawn_image_input: number;
  drawn_output: number;
}

/** The vendor's count beside the usage; without one, the count of the images themselves. */
function drawnIn(response: JsonObject): DrawnTokens {
  const reported = objectOf(objectOf(response.tool_usage).image_gen);
  const input = counter(reported.input_tokens);
  const output = counter(reported.output_tokens);
  const images = Math.min(input, counter(objectOf(reported.input_tokens_details).image_tokens));
  const seen = output > 0 ? [] : objectsIn(response.output).map(imageTokensOf);
  return {
    drawn_input: input - images,
    drawn_image_input: images,
    drawn_output: seen.reduce((sum, tokens) => sum + tokens, output),
  };
}

/** The drawing tool, and an item that it made. */
export const imageTool = 'image_generation';
const imageCall = 'image_generation_call';

/** Output tokens of an image with the settings of a request's tool, including partial images. */
export function drawnTokens(tools: Json | undefined): number {
  const tool = objectsIn(tools).find(({ type }) => type === imageTool) ?? {};
  const parts = counter(tool.partial_images) * partialImageTokens;
  return imageOutputTokens(textOf(tool.size), textOf(tool.quality)) + parts;
}

/** Tokens of an image item, by the reported quality; 0 for any other item. */
export function imageTokensOf({ type, result, quality }: JsonObject): number {
  return type === imageCall && typeof result === 'string' ? maxImageTokens(result, textOf(quality)) : 0;
}

/** Tools whose code runs in a container, with the field that requests it. */
const containerFields: Readonly<Record<string, string>> = {
  code_interpreter: 'container',
  shell: 'environment',
};

/**
 * Session of the container that an answer makes for the tool of this type (`Usage.containers`): 0 if the request names a
 * container. Undefined for a tool without one.
 */
export function newSession(tools: Json | undefined, type: string): number | undefined {
  const field = entryOf(containerFields, type);
  if (field === undefined) return undefined;
  const asked = objectsIn(tools)
    .filter((tool) => tool.type === type)
    .map((tool) => objectOf(tool[field]));
  return asked
    .filter((each) => each.type === 'auto' || each.type === 'container_auto')
    .reduce((most, each) => Math.max(most, containerGigabytes(textOf(each.memory_limit))), 0);
}

/**
 * The container that the vendor made for the code of an item; undefined for other items, and for a container that the
 * request names: whoever learns an id early could otherwise have it noted as a known one before it is charged.
 */
export function madeContainer(item: JsonObject, tools: Json | undefined): VendorMade | undefined {
  const isShell = item.type === 'shell_call';
  if (!isShell && item.type !== 'code_interpreter_call') return undefined;
  const id = textOf(isShell ? objectOf(item.environment).container_id : item.container_id);
  const session = newSession(tools, isShell ? 'shell' : 'code_interpreter');
  return id !== '' && session ? { id, kind: 'container', session } : undefined;
}

/** Only searching is charged: opening a found page, or searching in it, is not. */
function isSearch(item: JsonObject): boolean {
  if (item.type !== 'web_search_call' || item.status === 'failed') return false;
  const action = textOf(objectOf(item.action).type);
  return action === '' || action === 'search';
}

/** Reads the result of `usageIn`. */
export function readResponsesUsage(raw: JsonObject): Usage | undefined {
  const usage = readOpenaiUsage(raw);
  return (
    usage && {
      ...usage,
      input: usage.input + counter(raw.drawn_input),
      imageInput: usage.imageInput + counter(raw.drawn_image_input),
      // A vendor that counts these tokens in its output has reported them.
      imageOutput: usage.imageOutput > 0 ? usage.imageOutput : counter(raw.drawn_output),
      webSearchCalls: counter(raw.web_search_calls),
      fileSearchCalls: counter(raw.file_search_calls),
    }
  );
}

/**
 * Follows the uses of tools that a stream announces: an item that begins is one use, until it proves to be none (an
 * opened page, a failed search).
 */
export class AnnouncedUses {
  private readonly items = new Map<Json | undefined, JsonObject>();
  private readonly imageTokens: number;

  /** `asked` is the request. */
  constructor(asked: JsonObject | undefined) {
    this.imageTokens = drawnTokens(asked?.tools);
  }

  /** Takes an event. The uses so far, as `readAnnounced` reads them; undefined if it announces none. */
  note({ item, output_index: index }: JsonObject): JsonObject | undefined {
    if (!isObject(item) || !chargedItems.has(textOf(item.type))) return undefined;
    this.items.set(index ?? item.id, item);
    const items = [...this.items.values()];
    const drawn = items.filter(({ type }) => type === imageCall);
    return {
      ...callsIn({ output: items }),
      drawn_output: drawn.reduce((sum, each) => sum + (imageTokensOf(each) || this.imageTokens), 0),
    };
  }
}

const chargedItems = new Set(['web_search_call', 'file_search_call', imageCall]);

/** Reads the result of `AnnouncedUses`. */
export const readAnnounced = (raw: JsonObject): Usage =>
  usageOf({
    imageOutput: counter(raw.drawn_output),
    webSearchCalls: counter(raw.web_search_calls),
    fileSearchCalls: counter(raw.file_search_calls),
  });

/** Our counters as a response's usage object, in which the details are parts of the totals. */
export function writeUsage(usage: Usage): JsonObject {
  const input = inputTokens(usage);
  const output = outputTokens(usage);
  return {
    input_tokens: input,
    input_tokens_details: {
      cached_tokens: usage.cacheRead,
      cache_write_tokens: usage.cacheWrite5m + usage.cacheWrite1h,
    },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: usage.reasoning },
    total_tokens: input + output,
  };
}

/** The usage that was counted here: in the event that repeats the response, or in a whole answer. */
export function addResponsesUsage({ tail, isStream, usage, source }: UncountedEnd): Buffer | undefined {
  const told = { ...writeUsage(usage), source };
  if (!isStream) return addMember(tail, 'usage', told);
  return changeLastEvent(tail, (data) =>
    isObject(data.response) ? { ...data, response: { ...data.response, usage: told } } : undefined,
  );
}
