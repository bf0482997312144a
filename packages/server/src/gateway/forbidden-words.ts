import { isObject, type Json, type JsonObject } from '../relay/model/json.ts';

/** Members of a request, in all languages that are spoken here, in which a model reads what the caller wrote. */
const spoken = [
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
];

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
    const told = around[kind];
    return typeof told === 'string' && !told.startsWith('text/');
  });
}

/** The first word in what a request says that `find` knows; undefined where there is none. */
export function wordIn(find: (text: string) => string | undefined, json: JsonObject): string | undefined {
  const walk = (
    name: string,
    value: Json | undefined,
    around: JsonObject | undefined,
    depth: number,
  ): string | undefined => {
    if (typeof value === 'string') return isData(name, value, around) ? undefined : find(value);
    if (typeof value !== 'object' || value === null || depth > maxDepth) return undefined;
    const inside = isObject(value) ? value : undefined;
    for (const [key, each] of Object.entries(value)) {
      const found = walk(inside ? key : name, each, inside ?? around, depth + 1);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  for (const name of spoken) {
    const found = walk(name, json[name], undefined, 0);
    if (found !== undefined) return found;
  }
  return undefined;
}
