import { type Behaviour, json } from '../fake-upstream-scripts.ts';

// A private server that accepts OpenAI's bodies only at its own path and with its own header.

export const templateModel = 'gpt-oss-20b';
export const templateKey = 'sk-of-a-template';

/** The extra field of a channel to it. */
export const template = JSON.stringify({
  paths: { 'openai-chat': '/deployments/{model}/chat/completions' },
  headers: { 'X-Api-Key': '{key}' },
});

/** Refuses calls at another path or without the key in its header; passes all others on to `answer`. */
export const byTemplate =
  (answer: Behaviour): Behaviour =>
  (exchange) => {
    const { path, headers } = exchange;
    if (path !== `/deployments/${templateModel}/chat/completions`)
      return json({ error: 'no such path' }, 404)(exchange);
    const isKnown = headers['x-api-key'] === templateKey && headers.authorization === undefined;
    return isKnown ? answer(exchange) : json({ error: 'who are you?' }, 401)(exchange);
  };
