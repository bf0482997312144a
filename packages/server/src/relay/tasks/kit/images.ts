import { refuse, type Source, type VideoRequest } from '../../types/index.ts';

/** An image as most vendors take it: its address, or its data as a data URL. */
export function imageText(source: Source, vendor: string): string {
  if (source.kind === 'url') return source.url;
  if (source.kind === 'data') return `data:${source.mediaType};base64,${source.base64}`;
  throw refuse('video_field_unknown', { vendor, field: 'file_id' });
}

/** An image for vendors that take data without the words before it. */
export function bareImage(source: Source, vendor: string): string {
  return source.kind === 'data' ? source.base64 : imageText(source, vendor);
}

/** All images of a request in order, the first frame first. */
export const imagesOf = ({ image, images = [] }: Pick<VideoRequest, 'image' | 'images'>): Source[] =>
  image ? [image, ...images] : images;
