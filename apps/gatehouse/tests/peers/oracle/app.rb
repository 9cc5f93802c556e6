# The original's engine as an oracle: a Rails application with Doorkeeper and its OpenID Connect extension, as Debian
# packages them, set up as the original sets them up. One user, four applications, one database file.
#
# ruby app.rb DIRECTORY: serves on a free port of the loopback interface, and prints one line of JSON that says where.

ENV["RAILS_ENV"] = "production"
ENV["DATABASE_URL"] = "sqlite3:#{File.join(ARGV.fetch(0), 'oracle.sqlite3')}?timeout=5000&pool=8"

require "fileutils"
require "json"
require "logger"
require "openssl"
require "rails"
require "active_record/railtie"
require "action_controller/railtie"
require "action_view/railtie"
require "puma"
require "puma/server"
require "doorkeeper"
require "doorkeeper/openid_connect"

DIRECTORY = ARGV.fetch(0)
PASSWORD = "correct horse battery staple"
SCOPES = %w[api read_user read_api openid profile email].freeze

# The original's consent page hands the nonce on, which the engine's own page does not.
CONSENT = <<~HTML.freeze
  <% %i[post delete].each do |decision| %>
  <%= form_tag oauth_authorization_path, method: decision do %>
  <% %i[client_id redirect_uri state response_type scope code_challenge code_challenge_method nonce].each do |name| %>
  <%= hidden_field_tag name, params[name] if params[name] %><% end %>
  <%= submit_tag decision, name: nil %><% end %><% end %>
HTML
consent = File.join(DIRECTORY, "app/views/doorkeeper/authorizations/new.html.erb")
FileUtils.mkdir_p(File.dirname(consent))
File.write(consent, CONSENT)

ActiveRecord::Migration.verbose = false

class Oracle < Rails::Application
  config.root = DIRECTORY
  config.eager_load = false
  config.logger = Logger.new(File.join(DIRECTORY, "oracle.log"))
  config.secret_key_base = "0" * 64
  config.consider_all_requests_local = false
  config.action_dispatch.show_exceptions = true
  config.hosts.clear
end

class User < ActiveRecord::Base
  def self.authenticate(login, password)
    user = find_by(username: login) || find_by(email: login)
    user if user && ActiveSupport::SecurityUtils.secure_compare(password.to_s, PASSWORD)
  end
end

class ApplicationController < ActionController::Base
  layout false
  protect_from_forgery with: :exception

  def current_user
    User.find_by(id: session[:user_id])
  end
end

# Sign-in by a form with the original's names.
class SessionsController < ApplicationController
  FORM = <<~HTML.freeze
    <form action="/users/sign_in" method="post">
    <input type="hidden" name="authenticity_token" value="<%= form_authenticity_token %>">
    <input name="user[login]"><input type="password" name="user[password]"><button>Sign in</button></form>
  HTML

  def new
    render inline: FORM
  end

  def create
    user = User.authenticate(params.dig(:user, :login), params.dig(:user, :password))
    return render(inline: FORM, status: :unprocessable_entity) unless user

    session[:user_id] = user.id
    session[:signed_in_at] = Time.now.to_i
    redirect_to "/"
  end
end

ActiveSupport.on_load(:before_initialize) do
  Doorkeeper.configure do
    orm :active_record
    base_controller "ApplicationController"
    resource_owner_authenticator do
      redirect_to "/users/sign_in" unless current_user
      current_user
    end
    resource_owner_from_credentials { User.authenticate(params[:username], params[:password]) }
    skip_client_authentication_for_password_grant true
    grant_flows %w[authorization_code password]
    use_refresh_token
    default_scopes :api
    optional_scopes(*SCOPES.drop(1))
    enforce_configured_scopes
    default_generator_method :hex
    hash_token_secrets
    hash_application_secrets
    force_ssl_in_redirect_uri false
    forbid_redirect_uri { |uri| %w[data vbscript javascript].include?(uri.scheme.to_s.downcase) }
    access_token_methods :from_access_token_param, :from_bearer_authorization, :from_bearer_param
  end

  Doorkeeper::OpenidConnect.configure do
    protocol { :http }
    issuer { "http://127.0.0.1:#{PORT}" }
    signing_key OpenSSL::PKey::RSA.new(2048).to_pem
    subject_types_supported [:public]
    resource_owner_from_access_token { |token| User.find_by(id: token.resource_owner_id) }
    auth_time_from_resource_owner { |_user| Time.now.to_i }
    reauthenticate_resource_owner { |_user, _return_to| redirect_to("/users/sign_in") }
    subject { |user, _application| user.id }
    claims do
      claim(:name, scope: :openid, response: [:user_info]) { |user| user.name }
      claim(:nickname, scope: :openid, response: [:user_info]) { |user| user.username }
      claim(:preferred_username, scope: :openid, response: [:user_info]) { |user| user.username }
      claim(:email, scope: :email, response: %i[id_token user_info]) { |user| user.email }
      claim(:email_verified, scope: :email, response: %i[id_token user_info]) { |_user| true }
    end
  end
end

SERVER = Puma::Server.new(->(environment) { Oracle.call(environment) })
SERVER.add_tcp_listener("127.0.0.1", 0)
PORT = SERVER.connected_ports.first

Oracle.initialize!
Doorkeeper::ApplicationController.layout(false)

Oracle.routes.draw do
  root to: "sessions#new"
  use_doorkeeper
  use_doorkeeper_openid_connect
  get "/users/sign_in", to: "sessions#new"
  post "/users/sign_in", to: "sessions#create"
end

ActiveRecord::Schema.define do
  create_table(:users) { |t| t.string :username, :name, :email }
  create_table :oauth_applications do |t|
    t.string :name, :uid, :secret, null: false
    t.text :redirect_uri, null: false
    t.string :scopes, null: false, default: ""
    t.boolean :confidential, null: false, default: true
    t.timestamps null: false
  end
  create_table :oauth_access_grants do |t|
    t.references :resource_owner, :application, null: false
    t.string :token, :scopes, null: false
    t.integer :expires_in, null: false
    t.text :redirect_uri, null: false
    t.datetime :created_at, null: false
    t.datetime :revoked_at
    t.string :code_challenge, :code_challenge_method
  end
  # Without a column for the previous refresh token a refresh ends the old pair at once, as in the original.
  create_table :oauth_access_tokens do |t|
    t.references :resource_owner, :application
    t.string :token, null: false
    t.string :refresh_token, :scopes
    t.integer :expires_in
    t.datetime :created_at, null: false
    t.datetime :revoked_at
  end
  create_table(:oauth_openid_requests) do |t|
    t.references :access_grant, null: false
    t.string :nonce, null: false
  end
end

User.create!(username: "dev", name: "Dev Eloper", email: "dev@example.com")

# The test says which applications there are, so that both servers have the same ones.
applications = JSON.parse($stdin.read).transform_values do |wanted|
  made = Doorkeeper::Application.create!(
    name: wanted["name"],
    redirect_uri: wanted["redirect_uris"].join("\n"),
    scopes: wanted["scopes"],
    confidential: wanted["confidential"],
  )
  { id: made.uid, secret: made.plaintext_secret }
end

SERVER.min_threads = 1
SERVER.max_threads = 4
running = SERVER.run
puts({ base_url: "http://127.0.0.1:#{PORT}", user: { login: "dev", password: PASSWORD }, applications: applications }.to_json)
$stdout.flush
running.join
