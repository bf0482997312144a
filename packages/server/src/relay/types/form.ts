import type { FormScan } from '../../lib/form.ts';

/** A file that came with a form. */
export interface FormFile {
  /** The field it came under. */
  name: string;
  fileName: string;
  /** Content-Type as its sender says; '' for none. */
  type: string;
  sizeBytes: number;
  /** Length of a sound in seconds, if its bytes show it and a caller needed it. */
  seconds?: number | undefined;
}

/** A request in multipart/form-data: positions of its parts in the raw bytes, and its files. */
export interface RequestForm {
  scan: FormScan;
  files: readonly FormFile[];
}
