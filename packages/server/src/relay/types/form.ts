import type { FormScan } from '../../lib/form.ts';

/** A file in a form. */
export interface FormFile {
  /** The name of its field. */
  name: string;
  fileName: string;
  /** Content-Type from its sender; '' without one. */
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
