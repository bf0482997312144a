import { SchemaWriter } from './writer.ts';
import type { Migration } from './writer.ts';

/** Vendors' usage reports: few rows, each complete or absent. */
export const usageReports: Migration = {
  name: '0018-usage-reports',
  steps(db, dialect) {
    const write = new SchemaWriter(db, dialect);
    const { id, integer, text, longText } = write.words;
    return [
      write.table('usage_reports', {
        columns: {
          id,
          source: text(16),
          name: text(255),
          channels: longText,
          start_time: integer,
          end_time: integer,
          created_at: integer,
          line_count: integer,
          content: longText,
        },
      }),
      write.addNullable('channel_costs', 'report_mapping', longText),
    ];
  },
};
