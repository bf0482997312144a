import type { Page } from 'playwright-core';

interface Answer {
  success: boolean;
  message: string;
  data: unknown;
}

/** Calls the console's API as the person logged in on a page does, and answers its data. */
export async function callFrom(page: Page, method: string, path: string, body?: unknown): Promise<unknown> {
  const answer = await page.evaluate(
    async ([verb, address, json]): Promise<Answer> => {
      const user = JSON.parse(localStorage.getItem('user') ?? '{}') as { id?: number };
      const response = await fetch(address, {
        method: verb,
        headers: { 'content-type': 'application/json', 'new-api-user': String(user.id) },
        ...(json === undefined ? {} : { body: json }),
      });
      return (await response.json()) as Answer;
    },
    [method, path, body === undefined ? undefined : JSON.stringify(body)] as const,
  );
  if (!answer.success) throw new Error(`${method} ${path}: ${answer.message}`);
  return answer.data;
}

/** Channels, tokens, codes and prices that give every list of the console something to show. */
export async function furnish(page: Page): Promise<void> {
  const channels = [
    {
      type: 1,
      name: 'OpenAI · main',
      models: 'gpt-4o,gpt-4o-mini,o3-mini',
      group: 'default',
      priority: 10,
      tag: 'openai',
    },
    {
      type: 1,
      name: 'OpenAI · spare',
      models: 'gpt-4o,gpt-4o-mini',
      group: 'default,vip',
      priority: 0,
      tag: 'openai',
    },
    { type: 43, name: 'DeepSeek', models: 'deepseek-chat,deepseek-reasoner', group: 'default', priority: 5 },
    {
      type: 1,
      name: 'House models',
      models: 'house-large,house-small',
      group: 'vip',
      base_url: 'http://localhost:9',
    },
  ];
  for (const channel of channels)
    await callFrom(page, 'POST', '/api/channel/', { key: 'sk-not-a-real-key', ...channel });
  await callFrom(page, 'POST', '/api/token/', { name: 'laptop', remain_quota: 5_000_000, expired_time: -1 });
  await callFrom(page, 'POST', '/api/token/', {
    name: 'nightly reports',
    unlimited_quota: true,
    expired_time: -1,
  });
  await callFrom(page, 'POST', '/api/redemption/', { name: 'Welcome', quota: 500_000, count: 3 });
}
