package audit_test

import (
	"context"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/audit"
	"github.com/seed-89b9419b/holotype/internal/store/storetest"
)

func onSQLite(t *testing.T) storetest.Database {
	t.Helper()
	return storetest.Database{Name: "sqlite", At: filepath.Join(t.TempDir(), "store.db")}
}

// A caller that goes away, a limit that passes and a surface that refuses leave a row
// each, and each says what it was.
func TestHowCallsEndWithoutAnAnswer(t *testing.T) {
	_, l := audited(t, onSQLite(t), audit.Options{})
	started := make(chan struct{}, 1)
	pack := capabilities.NewPack[none](capabilities.PackInfo{Name: "waits", Title: "Waits", Summary: "Waits."})
	capabilities.Declare(pack, capabilities.Spec{
		Name: "wait", Title: "Wait", Summary: "Wait.", Effect: capabilities.Read(capabilities.Local), Route: "POST /wait",
	}, func(ctx context.Context, _ none, _ in) (out, error) {
		started <- struct{}{}
		<-ctx.Done()
		return out{}, ctx.Err()
	})
	reg, err := capabilities.Assemble(pack.Bind(none{}))
	if err != nil {
		t.Fatal(err)
	}
	invoke := func(ctx context.Context, limit time.Duration, id string, refusal *capabilities.Error) capabilities.Code {
		door := capabilities.NewDoor(capabilities.DoorOptions{
			Viewer: capabilities.NewViews(capabilities.NewLive(reg), capabilities.Scopes{}), Codes: reg.Codes(), Log: slog.New(slog.DiscardHandler),
			Now: time.Now, Timeout: limit, Interceptors: []capabilities.Interceptor{l.Interceptor()},
		})
		_, err := door.Invoke(ctx, capabilities.Call{
			Name: "wait", Arguments: []byte(`{"do":""}`), Principal: capabilities.OwnerPrincipal(), RequestID: id, Refusal: refusal,
		})
		e, ok := capabilities.AsError(err)
		if !ok {
			t.Fatalf("%s answered %v", id, err)
		}
		return e.Code
	}
	left, leave := context.WithCancel(t.Context())
	go func() {
		<-started
		leave()
	}()
	got := []capabilities.Code{
		invoke(left, time.Minute, "left", nil),
		invoke(t.Context(), time.Millisecond, "late", nil),
		invoke(t.Context(), time.Minute, "refused", capabilities.Refuse(capabilities.OpIDInvalid, "no key")),
	}
	if diff := cmp.Diff([]capabilities.Code{capabilities.Timeout, capabilities.Timeout, capabilities.OpIDInvalid}, got); diff != "" {
		t.Errorf("answered (-want +got):\n%s", diff)
	}
	rows, err := l.List(t.Context(), audit.Query{Limit: 10, Oldest: true})
	if err != nil {
		t.Fatal(err)
	}
	var ended []string
	for _, r := range rows {
		ended = append(ended, r.RequestID+" "+r.Capability+" "+r.Outcome)
	}
	if diff := cmp.Diff([]string{"left wait cancelled", "late wait timeout", "refused wait op_id_invalid"}, ended); diff != "" {
		t.Errorf("noted (-want +got):\n%s", diff)
	}
}

// Whoever waits for calls is answered when the server stops, and so is whoever asks then.
func TestRestAnswersWhoeverWaits(t *testing.T) {
	_, l := audited(t, onSQLite(t), audit.Options{})
	asked := func() chan error {
		done := make(chan error, 1)
		go func() {
			rows, err := l.Await(t.Context(), audit.Query{After: 1, Limit: 10}, time.Hour)
			if len(rows) > 0 {
				t.Errorf("waited for %v", rows)
			}
			done <- err
		}()
		return done
	}
	before := asked()
	l.Rest()
	l.Rest()
	for _, done := range []chan error{before, asked()} {
		select {
		case err := <-done:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(time.Minute):
			t.Fatal("nobody was answered")
		}
	}
}
