import { mayCostMore, searchSizes } from '@tollgate/contract';
import { isObject, type JsonObject, objectOf, objectsIn, textOf } from '../../../lib/json.ts';
import {
  addOpenaiUsage,
  writeOpenaiError,
  writeOpenaiStreamError,
  choicesOf,
  refuser,
  requiredText,
  streamOptionsOf,
  tokenBound,
  estimateInput,
  mediaSize,
} from '../../families/openai/index.ts';
import { askedImageTokens } from '../../families/google/index.ts';
import { cacheMarks, hostedOffers, toolUses } from '../../conversation/index.ts';
import type { BodySizes, Inbound, RequestFacts } from '../../types/index.ts';

const no = refuser('invalid_text_request');

/** The fields of a chat that ask for a search of the web: of OpenAI, xAI, DashScope and OpenRouter. */
export const searchFields = (body: JsonObject): string[] =>
  [
    isObject(body.web_search_options) ? 'web_search_options' : '',
    isObject(body.search_parameters) && body.search_parameters.mode !== 'off' ? 'search_parameters' : '',
    body.enable_search === true ? 'enable_search' : '',
    objectsIn(body.plugins).some(({ id }) => id === 'web') ? 'plugins' : '',
  ].filter((name) => name !== '');

/** What a chat offers beside functions. */
const hostedTypes = (body: JsonObject): string[] => [
  ...objectsIn(body.tools).flatMap((tool) => (isObject(tool.function) ? [] : [textOf(tool.type)])),
  ...searchFields(body),
];

/**
 * Reads what the gateway must know of a chat request. Fields that cost or steer nothing of ours are left to the vendor.
 */
function readFacts(body: JsonObject, sizes: BodySizes): RequestFacts {
  const { messages, web_search_options: search } = body;
  const model = requiredText(body, 'model', no);
  if (!Array.isArray(messages) || messages.length === 0) return no('field_required', { field: 'messages' });
  for (const message of messages) {
    if (!isObject(message) || typeof message.role !== 'string') return no('message_without_role');
  }
  const size = isObject(search) ? (search.search_context_size ?? undefined) : undefined;
  const searchSize = searchSizes.find((each) => each === size);
  if (size !== searchSize)
    return no('field_not_choice', { field: 'search_context_size', choices: 'high, medium, low' });
  const media = mediaSize(messages, model);
  const hostedTools = hostedOffers('openai-chat', hostedTypes(body));
  return {
    model,
    ...streamOptionsOf(body, no),
    maxOutputTokens: Math.max(
      tokenBound(body, 'max_tokens', no),
      tokenBound(body, 'max_completion_tokens', no),
    ),
    estimatedInputTokens: estimateInput(sizes, media.binaryLength, media.tokens),
    ...(media.uncounted > 0 && { uncountedInputTokens: media.uncounted }),
    choices: choicesOf(body, 'n', no),
    ...(searchSize && { searchKind: searchSize }),
    ...(hostedTools && { hostedTools }),
    ...toolUses(model, hostedTools, imageTokensAsked(body)),
    ...functionsOf(body),
    ...cacheMarks({ cache_control: body.cache_control ?? null }, body.tools, messages),
    ...(mayCostMore(body.service_tier) && { mayCostMore: true }),
  };
}

/** Of the image that is asked for among the words. */
const imageTokensAsked = ({ modalities, image_config: config }: JsonObject): number =>
  Array.isArray(modalities) && modalities.includes('image')
    ? askedImageTokens(textOf(objectOf(config).image_size))
    : 0;

/** Functions, under their name of today or before, and the effort beside them. */
function functionsOf(body: JsonObject): Pick<RequestFacts, 'functions'> {
  const isOffered =
    objectsIn(body.tools).some(({ type }) => type === 'function') || Array.isArray(body.functions);
  if (!isOffered) return {};
  const effort = body.reasoning_effort ?? objectOf(body.reasoning).effort;
  return { functions: effort === 'none' ? { thinks: false } : {} };
}

export const openaiChatInbound: Inbound = {
  id: 'openai-chat',
  readFacts,
  writeError: writeOpenaiError,
  writeStreamError: writeOpenaiStreamError,
  addUsage: addOpenaiUsage,
  ping: Buffer.from(': PING\n\n'),
};
