"""The store against a plain model in Python: what each scope sees is what the model says."""

import tempfile
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from agent_memory_cli import MemoryScope, Selection, SQLiteMemory, StoredRecord
from tests.helpers import Clock, record

USERS = [None, "ann", "ANN", "an_n", "bob"]
PARTS = [None, "s", "S"]
DAYS = 20

_scopes = (
    st.tuples(st.sampled_from(USERS), st.sampled_from(PARTS), st.sampled_from(PARTS))
    .filter(any)
    .map(lambda ids: MemoryScope(user_id=ids[0], session_id=ids[1], agent_id=ids[2]))
)
ALL_SCOPES = [
    MemoryScope(user_id=user, session_id=session, agent_id=agent)
    for user in USERS
    for session in PARTS
    for agent in PARTS
    if user or session or agent
]


@dataclass
class Model:
    """Records in the order in which they were stored."""

    records: list[StoredRecord] = field(default_factory=list)

    def live(self, now) -> list[StoredRecord]:
        return [one for one in self.records if one.live(now, DAYS)]

    def expire(self, now) -> int:
        before = len(self.records)
        self.records = self.live(now)
        return before - len(self.records)

    def delete(self, wanted) -> int:
        before = len(self.records)
        self.records = [one for one in self.records if not wanted(one)]
        return before - len(self.records)

    def seen(self, scope, now) -> list[StoredRecord]:
        mine = [one for one in self.live(now) if scope.covers(one.scope)]
        return sorted(mine, key=lambda one: one.created_at)


class StoreAndModel(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.clock = Clock()
        self.memory = SQLiteMemory(
            Path(self.folder.name) / "m.db", retention_days=DAYS, clock=self.clock
        )
        self.memory.purge_sync()
        self.model = Model()
        self.serial = 0

    def teardown(self) -> None:
        self.memory.close()
        self.folder.cleanup()

    @rule(
        rows=st.lists(
            st.tuples(_scopes, st.sampled_from(["tea", "rain and tea", "sun"]), st.integers(0, 25)),
            min_size=1,
            max_size=5,
        ),
        lives=st.none() | st.integers(-1, 10),
        at_once=st.booleans(),
    )
    def add(self, rows, lives, at_once):
        now = self.clock()
        expires = None if lives is None else now + timedelta(days=lives)
        new = [
            record(
                text,
                scope.user_id,
                scope.session_id,
                scope.agent_id,
                created_at=now - timedelta(days=age),
                expires_at=expires,
                metadata={"age": age},
                id=f"{self.serial}-{number}",
            )
            for number, (scope, text, age) in enumerate(rows)
        ]
        self.serial += 1
        self.model.expire(now)
        if at_once:
            self.memory.add_all_sync([new[:2], new[2:]])
        else:
            self.memory.add_sync(new)
        for one in new:
            end = one.expires_at or one.created_at + timedelta(days=DAYS)
            self.model.records.append(
                StoredRecord(**one.model_dump(exclude={"expires_at"}), expires_at=end)
            )

    @rule(days=st.integers(1, 8))
    def time_passes(self, days):
        self.clock.forward(days=days)

    @rule(data=st.data(), scope=st.none() | _scopes)
    def delete_ids(self, data, scope):
        known = [one.id for one in self.model.records] + ["unknown"]
        ids = data.draw(st.lists(st.sampled_from(known), min_size=1, max_size=4))
        self.model.expire(self.clock())
        expected = self.model.delete(
            lambda one: one.id in ids and (scope is None or scope.covers(one.scope))
        )
        assert self.memory.delete_sync(ids, scope=scope) == expected

    @rule(scope=_scopes)
    def delete_scope(self, scope):
        self.model.expire(self.clock())
        expected = self.model.delete(lambda one: scope.covers(one.scope))
        assert self.memory.delete_sync(scope=scope) == expected

    @rule()
    def purge(self):
        assert self.memory.purge_sync() == self.model.expire(self.clock())

    @rule(scope=st.none() | _scopes, age=st.integers(0, 20))
    def purge_older(self, scope, age):
        now = self.clock()
        before = now - timedelta(days=age)
        plan = self.memory.purge_plan_sync(scope=scope, before=before)

        def due(one):
            return (scope is None or scope.covers(one.scope)) and (
                not one.live(now, DAYS) or one.created_at < before
            )

        assert set(plan.ids) == {one.id for one in self.model.records if due(one)}
        while self.memory.purge_batch_sync(plan, limit=3):
            pass
        self.model.delete(due)

    @rule(user=st.sampled_from(USERS[1:]))
    def erase(self, user):
        plan = self.memory.erasure_plan_sync(user)
        assert plan.records == sum(one.scope.user_id == user for one in self.model.records)
        report = self.memory.erase_sync(plan)
        assert report.incomplete == ()
        self.model.delete(lambda one: one.scope.user_id == user)

    @rule()
    def reopen(self):
        self.memory.close()

    @rule(scope=_scopes, k=st.integers(1, 5))
    def search(self, scope, k):
        seen = self.model.seen(scope, self.clock())
        newest = [hit.record for hit in self.memory.search_sync("", scope=scope, k=k)]
        assert newest == seen[::-1][:k]
        tea = [one for one in seen if "tea" in one.text]
        hits = [hit.record for hit in self.memory.search_sync("tea", scope=scope, k=len(tea) + 1)]
        assert sorted(hits, key=lambda one: one.id) == sorted(tea, key=lambda one: one.id)
        assert len(self.memory.search_sync("tea", scope=scope, k=k)) == min(k, len(tea))

    @invariant()
    def every_scope_sees_what_the_model_says(self):
        now = self.clock()
        for scope in ALL_SCOPES:
            seen = self.model.seen(scope, now)
            assert self.memory.export_sync(scope) == seen
            assert self.memory.count_sync(Selection(scope)) == len(seen)

    @invariant()
    def every_record_is_got_from_its_own_scope_only(self):
        now = self.clock()
        for one in self.model.records[:3]:
            live = one.live(now, DAYS)
            for scope in (None, one.scope, MemoryScope(user_id="bob"), MemoryScope(agent_id="s")):
                admitted = live and (scope is None or scope.covers(one.scope))
                got = self.memory.get_sync(one.id, scope=scope)
                assert got == (one if admitted else None)

    @invariant()
    def users_are_counted(self):
        there = {user.user_id: user.records for user in self.memory.users_sync() if user.records}
        expected: dict[str | None, int] = {}
        for one in self.model.records:
            expected[one.scope.user_id] = expected.get(one.scope.user_id, 0) + 1
        assert there == expected

    @invariant()
    def the_doctor_sees_no_failure(self):
        assert [row for row in self.memory.inspect_sync() if row.status == "fail"] == []


StoreAndModel.TestCase.settings = settings(max_examples=25, stateful_step_count=15, deadline=None)
TestStoreAndModel = StoreAndModel.TestCase
