import type { JsonObject } from '../../lib/json.ts';
import type { CallerProtocol } from '../../relay/types/index.ts';
import { anthropicMessages } from '../../relay/protocols/anthropic-messages/index.ts';
import { bedrockConverse } from '../../relay/protocols/bedrock-converse/index.ts';
import { openaiChat } from '../../relay/protocols/openai-chat/index.ts';

const nova = 'us.amazon.nova-lite-v1:0';
const files = new Map([
  ['https://files.test/a.png', { mediaType: 'image/png', base64: 'AAAA' }],
  ['https://files.test/a.pdf', { mediaType: 'application/pdf', base64: 'UERG' }],
]);

/** A request of another protocol, in Converse. */
function translated(from: CallerProtocol, body: JsonObject, model = nova) {
  const dropped = new Set<string>();
  const request = from.codec!.readRequest!({ model: 'm', ...body });
  const written = bedrockConverse.codec.writeRequest!(request, {
    model,
    files,
    readsReasoning: false,
    drop: (what) => void dropped.add(what),
  });
  return {
    body: JSON.parse(JSON.stringify(written)) as JsonObject,
    dropped: [...dropped].toSorted(),
    needed: bedrockConverse.codec.filesNeeded!(request),
  };
}
/** A Chat request, in Converse. */
export const chat = (body: JsonObject, model?: string) =>
  translated(openaiChat, { messages: [{ role: 'user', content: 'hi' }], ...body }, model);
/** A Messages request, in Converse. */
export const claude = (body: JsonObject, model?: string) =>
  translated(anthropicMessages, { messages: [{ role: 'user', content: 'hi' }], ...body }, model);
/** A minimal conversation. */
export const hi = [{ role: 'user', content: [{ text: 'hi' }] }];

/** A tool for a conversation. */
export const weather = {
  type: 'function',
  function: { name: 'weather', description: 'of a city', parameters: { properties: { city: {} } } },
};
/** The model's call of that tool. */
export const called = (id = 'call_1') => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id, type: 'function', function: { name: 'weather', arguments: '{"city":"Paris"}' } }],
});

/** A request with every feature that Converse supports. */
export const rich: JsonObject = {
  messages: [
    { role: 'system', content: 'Be brief.' },
    { role: 'developer', content: 'Be kind.' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Look' },
        { type: 'image_url', image_url: { url: 'data:image/jpeg;base64,/9j/' } },
        { type: 'image_url', image_url: { url: 'https://files.test/a.png' } },
        {
          type: 'file',
          file: { filename: 'my_report v1.pdf', file_data: 'data:application/pdf;base64,UERG' },
        },
        {
          type: 'file',
          file: { filename: 'my_report v1.pdf', file_data: 'data:application/pdf;base64,UERG' },
        },
        { type: 'file', file: { filename: 'x.json', file_data: 'data:application/json;base64,e30=' } },
      ],
    },
    called(),
    { role: 'tool', tool_call_id: 'call_1', content: '18 degrees' },
    { role: 'user', content: 'And now?' },
  ],
  tools: [weather],
  tool_choice: 'required',
  max_tokens: 100,
  temperature: 1.7,
  top_p: 0.9,
  stop: ['END'],
  stream: true,
};
