/** A browser without a window: keeps cookies and follows redirects within one site. */
interface Walker {
  get(address: string): Promise<Response>;
  post(address: string, fields: Record<string, string>): Promise<Response>;
}

function walker(): Walker {
  const cookies = new Map<string, string>();
  const send = async (address: string, init: RequestInit): Promise<Response> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(address, { ...init, redirect: 'manual', headers: { cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [name = '', value = ''] = line.split(';', 1)[0]!.split(/=(.*)/s);
      cookies.set(name, value);
    }
    return response;
  };
  return {
    get: (address) => send(address, {}),
    post: (address, fields) => send(address, { method: 'POST', body: new URLSearchParams(fields) }),
  };
}

/**
 * Logs in at the provider of `startOpenidProvider` and consents, as a user would; returns the address to which the
 * provider redirects.
 */
export async function consentAs(name: string, page: string, redirectUri: string): Promise<URL> {
  const browser = walker();
  let address = page;
  for (let steps = 0; steps < 12; steps += 1) {
    const answer = await browser.get(address);
    const next = answer.headers.get('location');
    if (next !== null) {
      address = new URL(next, address).href;
      if (address.startsWith(redirectUri)) return new URL(address);
      continue;
    }
    const html = await answer.text();
    const action = /action="([^"]+)"/.exec(html)?.[1] ?? '';
    const prompt = /name="prompt" value="(\w+)"/.exec(html)?.[1] ?? '';
    if (action === '') throw new Error(`no form at ${address}: ${html.slice(0, 500)}`);
    const sent = await browser.post(new URL(action, address).href, { prompt, login: name, password: 'any' });
    address = new URL(sent.headers.get('location') ?? '', address).href;
    if (address.startsWith(redirectUri)) return new URL(address);
  }
  throw new Error('the provider leads nowhere');
}
