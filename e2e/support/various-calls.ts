import type { Site } from './site.ts';

const post = async (site: Site, key: string, path: string, body: object): Promise<Buffer> => {
  const response = await fetch(site.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify(body),
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  if (!response.ok) throw new Error(`${path}: ${bytes.toString()}`);
  return bytes;
};

/** Two tall images, which cost twice as much each. */
const makeImages = (site: Site, key: string): Promise<Buffer> =>
  post(site, key, '/v1/images/generations', {
    model: 'sandbox-image',
    prompt: 'A lighthouse at night',
    n: 2,
    size: '1024x1792',
  });

/** A streamed answer without reported usage. */
const askWithoutUsage = (site: Site, key: string): Promise<Buffer> =>
  post(site, key, '/v1/chat/completions', {
    model: 'sandbox-no-usage',
    stream: true,
    messages: [{ role: 'user', content: 'How much was that?' }],
  });

/** Makes speech from a text, and transcribes it. */
async function speakAndHear(site: Site, key: string): Promise<void> {
  const spoken = await post(site, key, '/v1/audio/speech', {
    model: 'sandbox-speech',
    voice: 'alloy',
    input: 'Hello',
  });
  const form = new FormData();
  form.set('model', 'sandbox-transcription');
  form.set('file', new Blob([new Uint8Array(spoken)]), 'speech.mp3');
  const response = await fetch(`${site.url}/v1/audio/transcriptions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: form,
  });
  if (!response.ok) throw new Error(await response.text());
  await response.text();
}

const rerank = (site: Site, key: string): Promise<Buffer> =>
  post(site, key, '/v1/rerank', { model: 'sandbox-rerank', query: 'sea', documents: ['a hill', 'the sea'] });

/** A realtime session with a number of responses, each with its own row. */
export function converse(site: Site, key: string, responses: number): Promise<void> {
  const address = `${site.url.replace('http', 'ws')}/v1/realtime?model=sandbox`;
  const socket = new WebSocket(address, ['realtime', `openai-insecure-api-key.${key}`]);
  const say = (event: object) => socket.send(JSON.stringify(event));
  const ask = () => {
    const content = [{ type: 'input_text', text: 'Good morning' }];
    say({ type: 'conversation.item.create', item: { type: 'message', role: 'user', content } });
    say({ type: 'response.create' });
  };
  let done = 0;
  return new Promise((resolve, reject) => {
    socket.addEventListener('error', () => reject(new Error('the socket did not open')));
    socket.addEventListener('close', () =>
      done === responses ? resolve() : reject(new Error(`the session ended after ${done} responses`)),
    );
    socket.addEventListener('message', ({ data }) => {
      const { type } = JSON.parse(String(data)) as { type: string };
      if (type === 'session.created') ask();
      if (type !== 'response.done') return;
      done += 1;
      if (done < responses) ask();
      else socket.close();
    });
  });
}

/** Makes one call of each kind that the sandbox supports, except the plain conversation. */
export async function makeVariousCalls(site: Site, key: string): Promise<void> {
  await makeImages(site, key);
  await askWithoutUsage(site, key);
  await speakAndHear(site, key);
  await rerank(site, key);
  await converse(site, key, 2);
}
