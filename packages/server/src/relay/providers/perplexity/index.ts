import { defineProvider } from '../../provider-kit/index.ts';
import { joinUrl, listModels, adaptResponses } from '../../families/openai/index.ts';
import { isObject, objectOf, type JsonObject, objectsIn } from '../../../lib/json.ts';
import type { AdaptContext, Adapted } from '../../types/index.ts';
import { writeInput } from './input.ts';
import { writeChoice, hasSearch, writeTool } from './tools.ts';

/** Fields that it accepts in a request (docs.perplexity.ai/docs/agent-api, November 2026). */
const known = new Set(
  `model models preset input instructions stream stream_options tools tool_choice parallel_tool_calls temperature top_p
  max_output_tokens max_steps max_tool_calls reasoning response_format language_preference metadata store
  previous_response_id truncation`.split(/\s+/),
);

/** Replacements of its former models: named presets, each with a model, a search and a limit. */
const presets: Readonly<Record<string, string>> = {
  'sonar-pro': 'fast',
  'sonar-reasoning-pro': 'low',
  'sonar-deep-research': 'medium',
};
const sonar = 'perplexity/sonar';

/** A smaller output bound is raised to this one. */
const minOutput = 16;

const efforts = new Set(['minimal', 'low', 'medium', 'high', 'xhigh', 'max']);

/** A request in the format of Perplexity's Agent API. Throws RelayError for content without an equivalent. */
function adaptAgent(body: JsonObject, context: AdaptContext): Adapted | undefined {
  const adapted = adaptResponses(body, context);
  body.input = writeInput(body.input);
  nameModel(body, adapted?.model ?? context.model);
  setFormat(body, context);
  if (typeof body.max_output_tokens === 'number') {
    body.max_output_tokens = Math.max(minOutput, body.max_output_tokens);
  }
  const { effort } = objectOf(body.reasoning);
  if (typeof effort === 'string' && efforts.has(effort)) body.reasoning = { effort };
  else delete body.reasoning;
  if (Array.isArray(body.tools))
    body.tools = objectsIn(body.tools).map((tool) => writeTool(tool, context.drop));
  if (isObject(body.tool_choice)) body.tool_choice = writeChoice(body.tool_choice);
  for (const [name, value] of Object.entries(body)) {
    if (known.has(name)) continue;
    delete body[name];
    if (value !== null) context.drop(name);
  }
  return { ...adapted, ...(typeof body.model === 'string' && { model: body.model }) };
}

/** Former names include a web search, which is added to the plain model. */
function nameModel(body: JsonObject, model: string): void {
  const preset = Object.hasOwn(presets, model) ? presets[model] : undefined;
  if (preset !== undefined) {
    delete body.model;
    body.preset = preset;
  } else if (model === 'sonar') {
    body.model = sonar;
    const tools = objectsIn(body.tools);
    if (!hasSearch(tools)) body.tools = [...tools, { type: 'web_search' }];
  } else body.model = model;
}

/** The answer's format is in chat's field. */
function setFormat(body: JsonObject, { drop }: Pick<AdaptContext, 'drop'>): void {
  const { text } = body;
  delete body.text;
  const { format, ...others } = objectOf(text);
  for (const name of Object.keys(others)) drop(`text.${name}`);
  const { type, ...schema } = objectOf(format);
  if (type === 'json_schema') body.response_format = { type, json_schema: schema };
  else if (type !== undefined && type !== 'text') drop('text.format');
}

/** Perplexity answers from the web, through its Agent API: OpenAI's Responses with fewer fields and its own tools. */
export const perplexity = defineProvider({
  type: 27,
  id: 'perplexity',
  name: 'Perplexity',
  baseUrl: 'https://api.perplexity.ai',
  models: ['sonar', 'sonar-pro', 'sonar-reasoning-pro', 'sonar-deep-research'],
  endpoints: {
    'openai-responses': {
      protocol: 'openai-responses',
      url: (channel) => joinUrl(channel, '/v1/responses'),
      // It refuses a request for any unknown field.
      isDialect: true,
      hosts: ['web-search', 'url-context', 'mcp', 'other'],
      adapt: adaptAgent,
    },
  },
  fetchModels: listModels(),
});
