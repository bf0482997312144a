import type { DatabaseConnection } from 'kysely';
import { assertStorable } from '../dialects/values.ts';

/** Makes a connection of Kysely's own drivers refuse values that no column holds, as our SQLite driver does. */
export function checkValues(connection: DatabaseConnection): void {
  const execute = connection.executeQuery.bind(connection);
  connection.executeQuery = async (query, options) => {
    assertStorable(query.parameters);
    return execute(query, options);
  };
}
