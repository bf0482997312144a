// A typical gateway: checks the balance before a call, charges some time after it, and writes its counts at intervals.
// node post-paid.ts <port> <port of the upstream> <file of its books>
import { createServer } from 'node:http';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';

const [port, upstream, file = ''] = process.argv.slice(2);
const spent = (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}) as Record<string, number>;
setInterval(() => writeFileSync(file, JSON.stringify(spent)), 5_000);
/** Limit of a key: ten answers of 100 tokens, except for the rich one. */
const budgetOf = (key: string): number => (key === 'rich' ? Infinity : 1_200);

const server = createServer((request, response) => {
  const key = (request.headers.authorization ?? '').slice('Bearer '.length);
  void (async () => {
    if (request.url === '/v1/dashboard/billing/usage') {
      response.end(JSON.stringify({ total_usage: spent[key] ?? 0 }));
      return;
    }
    const body = await text(request);
    if ((spent[key] ?? 0) >= budgetOf(key)) {
      response.writeHead(402).end('{}');
      return;
    }
    const answer = await fetch(`http://127.0.0.1:${upstream}${request.url}`, { method: 'POST', body });
    response.writeHead(answer.status);
    let heard = '';
    for await (const piece of answer.body ?? []) {
      heard += Buffer.from(piece).toString();
      response.write(piece);
    }
    const tokens = Number(/"total_tokens":(\d+)/.exec(heard)?.[1] ?? 0);
    // Late enough that, even on a busy machine, simultaneous calls see the same earlier balance.
    setTimeout(() => (spent[key] = (spent[key] ?? 0) + tokens), 1_000);
    response.end();
  })().catch(() => response.destroy());
});
server.listen(Number(port), '127.0.0.1');
