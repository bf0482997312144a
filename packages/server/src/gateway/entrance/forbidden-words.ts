import type { Json, JsonObject } from '../../lib/json.ts';

/** Members of a request, in all protocols that are spoken here, in which a model reads what the caller wrote. */
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
  // A description is read as well as a question.
  'tools',
  'functions',
  'response_format',
  'text',
  'generationConfig',
  'generation_config',
  'output_config',
  'output_format',
  // Of songs and videos.
  'gpt_description_prompt',
  'negative_prompt',
  'title',
  'tags',
]);

/** Deeper than any request: what lies below is looked at by nobody, because a model reads it all the same. */
const maxDepth = 200;

/** Names under which a file stands as base64. */
const files = new Set(['file_data', 'fileData', 'b64_json', 'bytesBase64Encoded']);
/** Names under which an address may stand that is the file itself. */
const addresses = new Set(['url', 'image_url', 'file_url', 'image', 'images']);
/** What tells that `data` beside it is a picture, a sound or a file. */
const kinds = ['mimeType', 'mime_type', 'media_type', 'format'];

/**
 * True for the data of pictures, sounds and files, in which a word would stand by chance. A text that merely begins
 * like data is text, and so is the data of a document that says it is text.
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

/** Answers the word that it knows of a text; undefined where it knows none. */
type Find = (text: string) => string | undefined;

/** Whether a longer text is data is asked before it is searched: looking through MBs of a picture takes longer. */
const longText = 4_096;

/** A word in what a request says that `find` knows; undefined where there is none. */
export function wordIn(find: Find, json: JsonObject): string | undefined {
  for (const name in json) {
    if (!spoken.has(name)) continue;
    const found = walk(find, name, json[name], undefined, 0);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Every value of every request passes here, so that nothing is made on the way. */
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
