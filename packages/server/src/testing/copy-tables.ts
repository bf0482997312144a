import { createConnection, type Connection, type RowDataPacket } from 'mysql2/promise';

const readList = async (connection: Connection, statement: string): Promise<RowDataPacket[]> =>
  (await connection.query<RowDataPacket[]>(statement))[0];

/**
 * Copies the tables of one MySQL or MariaDB database, with rows and triggers, to an empty database on the same server, like
 * a template on PostgreSQL. The users in both addresses need the rights for this.
 */
export async function copyTables(from: string, to: string): Promise<void> {
  const source = await createConnection(from);
  const target = await createConnection(to);
  try {
    const database = new URL(from).pathname.slice(1);
    for (const { name } of await readList(
      source,
      'select table_name as name from information_schema.tables where table_schema = database()',
    )) {
      const [made] = await readList(source, `show create table \`${name}\``);
      await target.query(made!['Create Table'] as string);
      await target.query(`insert into \`${name}\` select * from \`${database}\`.\`${name}\``);
    }
    for (const { name } of await readList(
      source,
      'select trigger_name as name from information_schema.triggers where trigger_schema = database()',
    )) {
      const [made] = await readList(source, `show create trigger \`${name}\``);
      await target.query(made!['SQL Original Statement'] as string);
    }
  } finally {
    await source.end();
    await target.end();
  }
}
