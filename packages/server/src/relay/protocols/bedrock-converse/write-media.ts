import { untranslatable, filledWords } from '@tollgate/contract/relay-errors';
import type { Part, Source, RequestContext } from '../../types/index.ts';
import { cannotTranslate, fetchedSource } from '../../conversation/index.ts';
import type { JsonObject } from '../../../lib/json.ts';

const own = 'bedrock-converse';

/** Formats by media type: Converse names files by their formats. */
const images: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpeg',
  'image/jpg': 'jpeg',
  'image/gif': 'gif',
  'image/webp': 'webp',
};
const documents: Readonly<Record<string, string>> = {
  'application/pdf': 'pdf',
  'text/csv': 'csv',
  'text/html': 'html',
  'text/markdown': 'md',
  'application/msword': 'doc',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.ms-excel': 'xls',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
};
const videos: Readonly<Record<string, string>> = {
  'video/mp4': 'mp4',
  'video/quicktime': 'mov',
  'video/x-matroska': 'mkv',
  'video/webm': 'webm',
  'video/mpeg': 'mpeg',
  'video/x-flv': 'flv',
  'video/x-ms-wmv': 'wmv',
  'video/3gpp': 'three_gp',
};
/** Text formats such as JSON are sent as text. */
const isText = (mediaType: string): boolean => /^text\/|json|xml|yaml|javascript/.test(mediaType);

const formatIn = (table: Readonly<Record<string, string>>, mediaType: string): string | undefined =>
  Object.hasOwn(table, mediaType) ? table[mediaType] : undefined;

/** Writes the images and files of one request: each document needs its own name. */
export class MediaWriter {
  private readonly context: RequestContext;
  private readonly names = new Set<string>();

  constructor(context: RequestContext) {
    this.context = context;
  }

  image(source: Source): JsonObject {
    const { mediaType, base64 } = this.data(source);
    const format = formatIn(images, mediaType);
    if (format === undefined)
      throw cannotTranslate(filledWords(untranslatable.image_of_type, { type: mediaType }), own);
    return { image: { format, source: { bytes: base64 } } };
  }

  file({ source, name }: Extract<Part, { type: 'file' }>): JsonObject {
    const { mediaType, base64 } = this.data(source);
    if (formatIn(images, mediaType) !== undefined) return this.image(source);
    const bytes = { source: { bytes: base64 } };
    const video = formatIn(videos, mediaType);
    if (video !== undefined) return { video: { format: video, ...bytes } };
    const format = formatIn(documents, mediaType) ?? (isText(mediaType) ? 'txt' : undefined);
    if (format === undefined)
      throw cannotTranslate(filledWords(untranslatable.file_of_type, { type: mediaType }), own);
    return { document: { format, name: this.nameOf(name), ...bytes } };
  }

  private data(source: Source): { mediaType: string; base64: string } {
    const found = fetchedSource(source, this.context.files);
    if (found.kind === 'data') {
      const mediaType = found.mediaType.split(';')[0]!.trim().toLowerCase();
      return { mediaType, base64: found.base64 };
    }
    throw cannotTranslate(
      found.kind === 'id' ? untranslatable.foreign_file : untranslatable.file_not_fetched,
      own,
    );
  }

  /** Letters, digits, single blanks, hyphens and brackets, without the format's extension. */
  private nameOf(name = 'document'): string {
    const plain = name
      .replace(/\.\w{1,5}$/, '')
      .replace(/[^\w\s()[\]-]|_/g, '-')
      .replace(/\s+/g, ' ')
      .trim()
      .slice(0, 180);
    const base = plain === '' ? 'document' : plain;
    let free = base;
    for (let number = 2; this.names.has(free); number += 1) free = `${base} ${number}`;
    this.names.add(free);
    return free;
  }
}
