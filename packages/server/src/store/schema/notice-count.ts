/** How often a notice went out within its window, for all processes of a site together. */
export interface NoticeCountTable {
  /** What is counted: user and kind of notice. */
  name: string;
  /** Unix ms at which the window began. */
  since: number;
  count: number;
}
