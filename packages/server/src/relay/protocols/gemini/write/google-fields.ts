import { ownFields } from '../../../conversation/index.ts';
import { isObject, type JsonObject, objectOf } from '../../../../lib/json.ts';
import type { ChatRequest, RequestContext } from '../../../types/index.ts';
import { camelCased } from '../fields.ts';

/** Fields of a request for Gemini only. */
export interface GoogleFields {
  /** Members of `generationConfig`. */
  config: JsonObject;
  /** Members of the body. */
  fields: JsonObject;
}

/** Fields in `google` of Google's interface for OpenAI's clients, and their names in `generationConfig`. */
const configs: Readonly<Record<string, string>> = {
  thinking_config: 'thinkingConfig',
  image_config: 'imageConfig',
};

/**
 * Additional fields of Gemini's protocol, and `extra_body.google` of chats (ai.google.dev/gemini-api/docs/openai):
 * thinking, format of images, a stored prefix.
 */
export function googleFields({ extra }: ChatRequest, context: RequestContext): GoogleFields {
  if (extra?.protocol !== 'openai-chat') {
    const { generationConfig, ...fields } = ownFields(extra, 'gemini', context);
    return { config: objectOf(generationConfig), fields };
  }
  const { extra_body: body, google: plain, ...others } = extra.fields;
  const { google: inBody, ...rest } = objectOf(body);
  ownFields({ ...extra, fields: { ...others, ...rest } }, 'gemini', context);
  return readGoogle({ ...objectOf(plain), ...objectOf(inBody) }, context);
}

function readGoogle(google: JsonObject, { drop }: RequestContext): GoogleFields {
  const config: JsonObject = {};
  const fields: JsonObject = {};
  for (const [name, value] of Object.entries(google)) {
    const inConfig = Object.hasOwn(configs, name) ? configs[name] : undefined;
    if (inConfig !== undefined && isObject(value)) config[inConfig] = camelCased(value);
    else if (name === 'cached_content' && typeof value === 'string') fields.cachedContent = value;
    else drop(`google.${name}`);
  }
  return { config, fields };
}
