import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { followChanges } from './changes.ts'

function opened() {
  const database = new DatabaseSync(':memory:')
  const changes = followChanges(database)
  database.exec(`create table pets (owner text, name text, age integer, weight real, primary key (name, owner)) strict;
    create table seen (name text primary key) strict, without rowid;
    create trigger pets_seen after insert on pets begin insert into seen values (new.name) on conflict do nothing; end`)
  return { database, changes }
}

test('a follower tells which rows changed, and how', () => {
  const { database, changes } = opened()
  expect(changes.take()).toEqual([])
  database.exec(`insert into pets values ('ada', 'Rex', 300, 1.5), ('ada', 'Ö', null, -2.25)`)
  expect(changes.take()).toHaveLength(4)
  database.exec(`update pets set age = -1, weight = 1.5 where name = 'Rex'`)
  expect(changes.take()).toEqual([
    {
      table: 'pets',
      before: { owner: 'ada', name: 'Rex', age: 300, weight: 1.5 },
      after: { owner: 'ada', name: 'Rex', age: -1, weight: 1.5 },
      columns: ['age'],
    },
  ])
  database.exec(`delete from pets where name = 'Ö'`)
  expect(changes.take()).toMatchObject([{ before: { name: 'Ö', age: null, weight: -2.25 }, after: null }])
  expect([...changes.rows('pets')]).toEqual(database.prepare('select * from pets').all())
  expect(changes.row('pets', 'Rex', 'ada')).toMatchObject({ age: -1 })
  expect([...changes.rows('seen')]).toHaveLength(2)
})

test('nothing has changed when it was undone, or written as it was', () => {
  const { database, changes } = opened()
  database.exec(`insert into pets values ('ada', 'Rex', 3, 1.5)`)
  changes.take()
  database.exec(`begin; update pets set age = 4; rollback; update pets set age = 3`)
  expect(changes.take()).toEqual([])
})

test('a follower tells what else changed when a table gets a column', () => {
  const { database, changes } = opened()
  database.exec(`insert into pets values ('ada', 'Rex', 3, 1.5), ('ada', 'Mia', 5, 1)`)
  changes.take()
  database.exec(`update pets set age = 4 where name = 'Rex'; alter table pets add column colour text;
    insert into pets values ('bob', 'Rex', 1, 2, 'red'); delete from pets where name = 'Mia'`)
  const told = changes.take().filter(({ after, columns }) => after === null || columns.join() !== 'colour')
  expect(told).toHaveLength(3)
  expect(told).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ before: expect.objectContaining({ name: 'Mia' }) as unknown, after: null }),
      expect.objectContaining({ after: { owner: 'bob', name: 'Rex', age: 1, weight: 2, colour: 'red' } }),
      expect.objectContaining({ after: { owner: 'ada', name: 'Rex', age: 4, weight: 1.5 } }),
    ]),
  )
  database.exec(`update pets set age = 5 where name = 'Rex' and owner = 'ada'`)
  expect(changes.take()).toMatchObject([{ before: { age: 4 }, after: { age: 5 }, columns: ['age'] }])
})

test('a follower tells the changes of a table that is made anew, and none of another', () => {
  const { database, changes } = opened()
  database.exec(`create table homes (owner text, city text, primary key (city, owner)) strict;
    insert into pets values ('ada', 'Rex', 3, 1.5); insert into homes values ('ada', 'Bern')`)
  changes.take()
  database.exec(`update pets set age = 4; drop table pets;
    create table pets (owner text, name text, primary key (name, owner)) strict;
    insert into pets values ('bob', 'Rex')`)
  expect(changes.take()).toEqual([
    {
      table: 'pets',
      before: { owner: 'ada', name: 'Rex', age: 3, weight: 1.5 },
      after: null,
      columns: ['owner', 'name'],
    },
    { table: 'pets', before: null, after: { owner: 'bob', name: 'Rex' }, columns: ['owner', 'name'] },
  ])
})

test('a follower goes on when a table gets a column', () => {
  const { database, changes } = opened()
  database.exec(`insert into pets values ('ada', 'Rex', 3, 1.5)`)
  changes.take()
  database.exec(`alter table pets add column colour text; update pets set colour = 'red'`)
  expect(changes.take()).toMatchObject([{ after: { age: 3, colour: 'red' }, columns: ['colour'] }])
})
