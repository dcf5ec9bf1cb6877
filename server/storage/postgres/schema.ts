/**
 * The tables of a PostgreSQL store, and their numbered migrations. All tables are in one schema.
 *
 *     record   every record of the domain. `key`: as in `server/storage/keys.ts`; `place`: hash of the first two parts of the key, by which the table is
 *              partitioned; `version`: from the sequence `version`, so no version is used twice; `sum`: crc32 of key and value
 *     writer   a row for each running store: `epoch` increases with each of its connections, `last` is the number of its last commit
 *     meta     'format', 'instance', 'secret' (a fingerprint), 'created'; 'migration' while records are being copied into the store
 *
 * A document is the unit of consistency, and all of its keys have the same place. The table can therefore be spread over machines by `place`, and
 * no commit needs two machines for the records of one document.
 */
import { crc32 } from 'node:zlib'

import type { Key } from '../../domain/ports.ts'
import { encodeKey } from '../keys.ts'

/** The version of the tables that this program reads and writes. It equals the number of migrations. */
export const schemaFormat = 1

/** The oldest supported version of PostgreSQL, as `server_version_num`. */
export const oldestServer = 150_000

/** The number of partitions of `record`. There are enough to spread over several machines, but few enough for a listing to read all of them. */
const partitions = 16

/** Returns the place of a key. Keys with the same first two parts have the same place. */
export const placeOf = (key: Key): number => crc32(encodeKey(key.slice(0, 2))) | 0

// Journal records are added and removed often, and heads change with every commit. Each page therefore has spare room, and a vacuum runs long
// before a fifth of the rows are dead.
const partition = (number: number): string => `
  create table record_${number} partition of record for values with (modulus ${partitions}, remainder ${number})
    with (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.2);
  alter table record_${number} alter column value set storage external;`

/**
 * The function for one commit of a store: a group of batches that `group.ts` has combined. `bytes` contains all data; the arrays contain the
 * positions in it. Returns one row. On success, the row contains the version of the puts. Otherwise, nothing is written, and the row contains the
 * positions in `expected` that do not hold, with the versions found.
 *
 * Checked records are locked in key order, so that two nodes never wait for each other. Records that are only checked get a shared lock. A key that
 * must be absent is inserted, so that no other node can insert it. If it must stay absent, it is also among the deletes.
 */
const commitRecords = `
  create function commit_records(
    by_writer uuid, in_epoch bigint, number bigint, bytes bytea,
    check_at int[], check_length int[], check_place int[], expected bigint[], written boolean[],
    put_at int[], put_length int[], put_place int[], value_length int[], put_sum int[], fresh boolean[],
    delete_at int[], delete_length int[], delete_place int[],
    channel text, notices text[]
  ) returns table (given bigint, wrong int, found_version bigint) language plpgsql as $$
  declare
    new_version bigint;
  begin
    perform 1 from (
      select substring(bytes from c.at for c.length) as key, c.place from unnest(check_at, check_length, check_place, written) as c(at, length, place, written)
      where c.written order by 1
    ) c join record r on r.key = c.key and r.place = c.place order by c.key for no key update of r;
    perform 1 from (
      select substring(bytes from c.at for c.length) as key, c.place from unnest(check_at, check_length, check_place, written) as c(at, length, place, written)
      where not c.written order by 1
    ) c join record r on r.key = c.key and r.place = c.place order by c.key for share of r;
    return query
      select null::bigint, c.number::int, r.version
      from unnest(check_at, check_length, check_place, expected) with ordinality as c(at, length, place, expected, number)
      left join record r on r.key = substring(bytes from c.at for c.length) and r.place = c.place
      where r.version is distinct from c.expected;
    if found then return; end if;

    update writer set last = number, seen = now() where id = by_writer and epoch = in_epoch;
    if not found then raise exception 'another connection has taken over' using errcode = 'AG001'; end if;

    new_version := nextval('version');
    insert into record (place, key, value, version, sum)
      select p.place, substring(bytes from p.at for p.length), substring(bytes from p.at + p.length for p.value_length), new_version, p.sum
      from unnest(put_at, put_length, put_place, value_length, put_sum, fresh) as p(at, length, place, value_length, sum, fresh) where p.fresh;
    insert into record (place, key, value, version, sum)
      select p.place, substring(bytes from p.at for p.length), substring(bytes from p.at + p.length for p.value_length), new_version, p.sum
      from unnest(put_at, put_length, put_place, value_length, put_sum, fresh) as p(at, length, place, value_length, sum, fresh) where not p.fresh
      on conflict on constraint record_pkey do update set value = excluded.value, version = excluded.version, sum = excluded.sum;
    delete from record r
      using (select substring(bytes from d.at for d.length) as key, d.place from unnest(delete_at, delete_length, delete_place) as d(at, length, place)) d
      where r.key = d.key and r.place = d.place;
    perform pg_notify(channel, notice) from unnest(notices) as notice;
    return query select new_version, null::int, null::bigint;
  end $$;`

/** Each migration converts the tables from one format to the next. A published migration never changes. */
export const migrations: readonly string[] = [
  `
  create table record (
    place integer not null,
    key bytea not null,
    value bytea not null,
    version bigint not null,
    sum integer not null,
    primary key (key, place)
  ) partition by hash (place);
  ${Array.from({ length: partitions }, (_, number) => partition(number)).join('')}
  create sequence version;
  create table writer (id uuid primary key, epoch bigint not null, last bigint not null, seen timestamptz not null default now());
  ${commitRecords}`
]

/** The names of the tables that `vacuum` cleans. */
export const recordTables: readonly string[] = Array.from({ length: partitions }, (_, number) => `record_${number}`)
