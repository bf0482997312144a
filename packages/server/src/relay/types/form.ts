import type { FormScan } from '../../lib/form.ts';

/** A file that came with a form. */
export interface FormFile {
  /** The field it came under. */
  name: string;
  fileName: string;
  /** Content-Type as its sender says; '' for none. */
  type: string;
  sizeBytes: number;
  /** Length of a sound in seconds, where the bytes tell it and somebody wanted to know. */
  seconds?: number | undefined;
}

/** A request that came as multipart/form-data: where its parts stand in the raw bytes, and its files. */
export interface RequestForm {
  scan: FormScan;
  files: readonly FormFile[];
}
