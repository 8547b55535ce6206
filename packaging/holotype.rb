# A formula for Homebrew that builds from the source of a release. A tap holds it; `make packages` fills in the release.
class Holotype < Formula
  desc "One front door for tools, over HTTP and MCP"
  homepage "https://github.com/seed-89b9419b/holotype"
  head "https://github.com/seed-89b9419b/holotype.git", branch: "main"
  license "Apache-2.0"

  depends_on "go" => :build

  def install
    ENV["CGO_ENABLED"] = "1"
    system "go", "build", "-tags", "sqlite_fts5", *std_go_args(ldflags: "-s -w"), "./cmd/holotype"
    generate_completions_from_executable(bin/"holotype", "completion")
  end

  service do
    run [opt_bin/"holotype", "serve", "--data", var/"holotype"]
    keep_alive true
    log_path var/"log/holotype.log"
    error_log_path var/"log/holotype.log"
  end

  test do
    assert_match "holotype", shell_output("#{bin}/holotype version")
    system bin/"holotype", "tools", "--data", testpath/"data"
  end
end
