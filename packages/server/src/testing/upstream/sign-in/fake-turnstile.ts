import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A request to the verifier. */
interface HumanQuestion {
  secret: string;
  response: string;
  remoteip: string;
}

/** The service behind the human check, with the paths and formats of Cloudflare's Turnstile. */
export interface FakeTurnstile {
  /** Origin: TURNSTILE_URL. */
  readonly url: string;
  readonly asked: readonly HumanQuestion[];
  /**
   * Sets the answers to questions from now on; by default the real service's rules: each answer of its widget is valid
   * once.
   */
  answer(how: { status: number; body: string } | 'by-the-rules'): void;
  close(): Promise<void>;
}

/** A widget that accepts every visitor, with an answer that is valid once. */
const script = (known: string): string => `
window.turnstile = {
  render(element, { callback, sitekey }) {
    const box = document.createElement('div');
    box.textContent = 'human check';
    (typeof element === 'string' ? document.querySelector(element) : element).append(box);
    const pass = () => callback('${known}-' + sitekey + '-' + crypto.randomUUID());
    setTimeout(pass, 0);
    box.dataset.pass = '1';
    this.passes = pass;
    return 'widget';
  },
  reset() { this.passes?.(); },
  remove() {},
};
window.onloadTurnstileCallback?.();
`;

/** Starts the service on a free port of this machine. Sites must verify with `secret`. */
export async function startFakeTurnstile(secret: string): Promise<FakeTurnstile> {
  const asked: HumanQuestion[] = [];
  const used = new Set<string>();
  const prefix = 'passed';
  let how: { status: number; body: string } | 'by-the-rules' = 'by-the-rules';

  const judge = (question: HumanQuestion): string => {
    const right =
      question.secret === secret &&
      question.response.startsWith(`${prefix}-`) &&
      !used.has(question.response);
    used.add(question.response);
    return JSON.stringify({ success: right, 'error-codes': right ? [] : ['invalid-input-response'] });
  };
  const server = createServer((req, res) => {
    const { pathname } = new URL(req.url ?? '/', 'http://here');
    if (req.method === 'GET' && pathname === '/turnstile/v0/api.js') {
      res.writeHead(200, { 'content-type': 'text/javascript' }).end(script(prefix));
      return;
    }
    if (req.method !== 'POST' || pathname !== '/turnstile/v0/siteverify') {
      res.writeHead(404).end();
      return;
    }
    text(req).then(
      (body) => {
        const form = new URLSearchParams(body);
        const question = {
          secret: form.get('secret') ?? '',
          response: form.get('response') ?? '',
          remoteip: form.get('remoteip') ?? '',
        };
        asked.push(question);
        const reply = how === 'by-the-rules' ? { status: 200, body: judge(question) } : how;
        res.writeHead(reply.status, { 'content-type': 'application/json' }).end(reply.body);
      },
      () => res.destroy(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    answer: (next) => void (how = next),
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
