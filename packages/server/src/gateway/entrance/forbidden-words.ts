import type { Json, JsonObject } from '../../lib/json.ts';

/** The fields of requests, in all protocols, whose text a model reads. */
const spoken = new Set([
  'messages',
  'prompt',
  'input',
  'instructions',
  'system',
  'query',
  'documents',
  'suffix',
  // Google's.
  'contents',
  'content',
  'requests',
  'systemInstruction',
  'system_instruction',
  // Models also read descriptions.
  'tools',
  'functions',
  'response_format',
  'text',
  'generationConfig',
  'generation_config',
  'output_config',
  'output_format',
  // Songs and videos.
  'gpt_description_prompt',
  'negative_prompt',
  'title',
  'tags',
]);

/** Deeper than any request: what lies below is looked at by nobody, because a model reads it all the same. */
const maxDepth = 200;

/** Fields that contain a file as base64. */
const files = new Set(['file_data', 'fileData', 'b64_json', 'bytesBase64Encoded']);
/** Fields that contain an address, which may be a data URL. */
const addresses = new Set(['url', 'image_url', 'file_url', 'image', 'images']);
/** Fields that show that a `data` field beside them is an image, a sound or a file. */
const kinds = ['mimeType', 'mime_type', 'media_type', 'format'];

/**
 * True for the data of images, sounds and files, in which a word can occur by chance. A text that only begins like data is
 * text, and so is the data of a document whose type is text.
 */
function isData(name: string, text: string, around: JsonObject | undefined): boolean {
  if (files.has(name)) return true;
  if (addresses.has(name)) return text.startsWith('data:');
  if (name !== 'data' || !around || around.type === 'text') return false;
  return kinds.some((kind) => {
    const type = around[kind];
    return typeof type === 'string' && !type.startsWith('text/');
  });
}

/** Returns a forbidden word of a text; undefined if there is none. */
type Find = (text: string) => string | undefined;

/** For longer texts, check first whether they are data: searching megabytes of an image takes longer. */
const longText = 4_096;

/** A forbidden word in the texts of a request, by `find`; undefined if there is none. */
export function wordIn(find: Find, json: JsonObject): string | undefined {
  for (const name in json) {
    if (!spoken.has(name)) continue;
    const found = walk(find, name, json[name], undefined, 0);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Called for every value of every request, so it allocates nothing. */
function walk(
  find: Find,
  name: string,
  value: Json | undefined,
  around: JsonObject | undefined,
  depth: number,
): string | undefined {
  if (typeof value === 'string') return wordInText(find, name, value, around);
  if (typeof value !== 'object' || value === null || depth > maxDepth) return undefined;
  if (Array.isArray(value)) {
    for (const each of value) {
      const found = walk(find, name, each, around, depth + 1);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  for (const key in value) {
    const found = walk(find, key, value[key], value, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

function wordInText(
  find: Find,
  name: string,
  text: string,
  around: JsonObject | undefined,
): string | undefined {
  if (text.length > longText && isData(name, text, around)) return undefined;
  const found = find(text);
  return found === undefined || isData(name, text, around) ? undefined : found;
}
