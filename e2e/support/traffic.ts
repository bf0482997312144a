import type { Page } from 'playwright-core';

interface Answer {
  success: boolean;
  message: string;
  data: unknown;
}

/** Calls the console's API as the logged-in person of a page, and returns its data. */
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
