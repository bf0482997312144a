import { texts, type Text } from '../../lib/i18n.ts';
import { mediaCode } from './media.ts';
import { setups, textOfPart } from './setups.ts';

/** Values of a snippet. */
export interface SnippetValues {
  /** The site's own address, without a trailing slash. */
  origin: string;
  /** The key with its `sk-`. */
  apiKey: string;
  model: string;
  /** Models that the key may use. */
  models: readonly string[];
}

export interface Snippet {
  id: string;
  /** A product's or language's own name, the same in both languages, or a word. */
  name: string | Text;
  /** '' without content. */
  code: (values: SnippetValues) => string;
}

const curl: Snippet = {
  id: 'curl',
  name: 'curl',
  code: ({ origin, apiKey, model }) => `curl ${origin}/v1/chat/completions \\
  -H "Authorization: Bearer ${apiKey}" \\
  -H "Content-Type: application/json" \\
  -d '{
    "model": "${model}",
    "messages": [{"role": "user", "content": "Hello"}]
  }'`,
};

/** The code of a library, as in the setups. */
const ofLibrary = (id: string, name: string): Snippet => ({
  id,
  name,
  code: (values) => {
    const library = setups.find((setup) => setup.id === id);
    return library ? library.parts(values).map(textOfPart).join('').trimEnd() : '';
  },
});

const libraries = [
  ofLibrary('openai-python', 'Python'),
  ofLibrary('openai-javascript', 'JavaScript'),
  ofLibrary('anthropic-python', 'Anthropic'),
  ofLibrary('google-python', 'Gemini'),
];

const environment: Snippet = {
  id: 'environment',
  name: 'ENV',
  code: ({ origin, apiKey }) => `export OPENAI_BASE_URL="${origin}/v1"
export OPENAI_API_KEY="${apiKey}"

export ANTHROPIC_BASE_URL="${origin}"
export ANTHROPIC_AUTH_TOKEN="${apiKey}"

export GOOGLE_GEMINI_BASE_URL="${origin}"
export GEMINI_API_KEY="${apiKey}"`,
};

const names = texts({ media: { zh: '图像与语音', en: 'Images & sound' } });

const media: Snippet = {
  id: 'media',
  name: names.media,
  code: ({ origin, apiKey, models }) => mediaCode(origin, apiKey, models),
};

/** Sample code for common clients. */
export const snippets: readonly Snippet[] = [curl, ...libraries, media, environment];
