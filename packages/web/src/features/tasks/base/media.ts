/**
 * Browser address of a picture: of this site by its path only, because its outside name may differ; of a vendor only by
 * https, which is all that pages may load.
 */
export function pictureAddress(imageUrl: string, taskId: string): string {
  if (imageUrl === '') return '';
  const own = `/mj/image/${taskId}`;
  const url = URL.parse(imageUrl, window.location.origin);
  if (url?.pathname === own) return own + url.search;
  if (imageUrl.startsWith('/') || imageUrl.startsWith('data:image/')) return imageUrl;
  return url?.protocol === 'https:' ? imageUrl : own;
}

/** Address that plays a video with the session. */
export const videoAddress = (taskId: string): string => `/pg/videos/${encodeURIComponent(taskId)}/content`;

/** One song of a task; '' and 0 for unknown values. */
export interface Clip {
  id: string;
  title: string;
  audio: string;
  cover: string;
  video: string;
  words: string;
  seconds: number;
}

type Fields = Record<string, unknown>;
const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const numberOf = (value: unknown): number => (typeof value === 'number' ? value : 0);
/** Addresses that pages must not load are left out. */
const addressOf = (value: unknown): string =>
  /^(?:https:|data:(?:audio|image|video)|\/)/.test(textOf(value)) ? textOf(value) : '';

/** The songs or lyrics of a task; vendors may omit any field. */
export function clipsOf(data: unknown): Clip[] {
  const list: unknown[] = Array.isArray(data) ? data : [data];
  return list.filter(isObject).map((clip, index) => {
    const more = isObject(clip.metadata) ? clip.metadata : {};
    return {
      id: textOf(clip.id) || String(index),
      title: textOf(clip.title),
      audio: addressOf(clip.audio_url),
      cover: addressOf(clip.image_large_url) || addressOf(clip.image_url),
      video: addressOf(clip.video_url),
      words: textOf(clip.text) || textOf(clip.lyric) || textOf(more.prompt),
      seconds: numberOf(more.duration) || numberOf(clip.duration),
    };
  });
}
