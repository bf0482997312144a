import { drawingApi, product, taskApi } from '@tollgate/contract';
import { call, consoleHeaders, rawFetch } from '../../../lib/api/api-client.ts';
import { readRefusal } from '../../../lib/api/chat-stream.ts';

/** An answer of a relay call with its request id. */
export interface Answered {
  response: Response;
  requestId: string | null;
}

/** Calls a path below `/pg`, with JSON or a form. Throws an `ApiError` with the gateway's message. */
export async function ask(
  path: string,
  body: Record<string, unknown> | FormData,
  signal?: AbortSignal,
): Promise<Answered> {
  const isForm = body instanceof FormData;
  const response = await rawFetch(`/pg/${path}`, {
    method: 'POST',
    headers: consoleHeaders(!isForm),
    body: isForm ? body : JSON.stringify(body),
    ...(signal && { signal }),
  });
  const requestId = response.headers.get(product.headers.requestId);
  if (!response.ok) throw await readRefusal(response, requestId);
  return { response, requestId };
}

/** The price of a video, in quota units. Throws an `ApiError` if the video is impossible. */
export async function fetchPrice(body: Record<string, unknown>, signal: AbortSignal): Promise<number> {
  const { response } = await ask('videos/price', body, signal);
  const { quota } = (await response.json()) as { quota: number };
  return quota;
}

/** An action on a finished drawing. */
export interface DrawingButton {
  customId: string;
  emoji: string;
  label: string;
}

/** The progress of a task, as in the task lists. */
export interface TaskProgress {
  status: string;
  /** 0 to 100. */
  progress: number;
  reason: string;
  /** Charged quota units minus refunds. */
  quota: number;
  /** Address of the picture; '' for none. */
  picture: string;
  /** The songs, as reported by their vendor. */
  data: unknown;
}

const percent = (text: string): number => Number(/^\d+/.exec(text)?.[0] ?? 0);

/** The progress of the user's own task; undefined if it is not in the list. */
export async function fetchProgress(platform: 'mj' | 'task', id: string): Promise<TaskProgress | undefined> {
  if (platform === 'mj') {
    const [row] = await call(drawingApi.ownList, { mj_id: id });
    return (
      row && {
        status: row.status,
        progress: percent(row.progress),
        reason: row.fail_reason,
        quota: row.quota,
        picture: fromHere(row.image_url),
        data: null,
      }
    );
  }
  const [row] = await call(taskApi.ownList, { task_id: id });
  return (
    row && {
      status: row.status,
      progress: percent(row.progress),
      reason: row.fail_reason,
      quota: row.quota,
      picture: '',
      data: row.data,
    }
  );
}

/** A picture of this site is fetched from the current origin, whatever the configured address. */
const fromHere = (url: string): string => {
  const at = url.startsWith('data:') ? -1 : url.indexOf('/mj/image/');
  return at < 0 ? url : url.slice(at);
};

const isButton = (value: unknown): value is DrawingButton =>
  typeof value === 'object' && value !== null && 'customId' in value && typeof value.customId === 'string';

/** The buttons below a finished drawing. */
export async function readButtons(id: string): Promise<DrawingButton[]> {
  const response = await rawFetch(`/pg/mj/task/${encodeURIComponent(id)}/fetch`, {
    headers: consoleHeaders(false),
  });
  if (!response.ok) return [];
  const { buttons } = (await response.json()) as { buttons?: unknown };
  return Array.isArray(buttons) ? buttons.filter(isButton) : [];
}
